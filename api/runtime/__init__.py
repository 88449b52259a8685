"""The two things that are no record: logs and live figures, asked where they arise.
One protocol, one implementation a runtime; no request, no view."""
