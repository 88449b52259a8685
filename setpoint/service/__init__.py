"""Setpoint as a service of systemd: the unit that it is started from, and telling systemd of it."""
