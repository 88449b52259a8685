"""Runs inside the machine: as root, started by its systemd."""
