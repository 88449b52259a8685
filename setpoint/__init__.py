"""The front door: the `setpoint` command, its settings, the supervisor that starts the parts.
Whatever two parts would both need to know of each other is tied together here, and nowhere else."""
