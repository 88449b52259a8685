"""HAProxy as a program: its processes, its sockets. The router runs one, the way out of the fabric another.
Knows nothing of what either is told to serve."""
