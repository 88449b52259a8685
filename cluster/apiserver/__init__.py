"""The embedded Kubernetes-compatible API server: storage, verbs, watches, discovery, on SQLite and TLS.
It knows no kind of Setpoint's own (those arrive as CRDs) and imports nothing else of this project.
"""
