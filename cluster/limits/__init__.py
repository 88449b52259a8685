"""What one sandbox may use of CPU, memory and processes: control groups of the kernel, where there are any for us.
Knows no records and starts nothing; whoever starts something puts it into its group before it runs."""
