"""A machine of our own, for what this one cannot try: control groups of version 2 with all controllers, and Setpoint as
a service of a real systemd. `make test-machine` boots a kernel of Debian in qemu; it sees this machine's files and
cannot write them.

Here is the machine. What runs in it is in `inside/`, and tests of `tests/unit` that need it; there, a skip is a
failure. A test that does not need it belongs elsewhere: in here everything is some ten times slower."""
