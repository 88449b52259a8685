"""The typed async client of the Kubernetes API, over the `kubernetes` library: requests, a watch cache, leases.
No kind is special here, and nothing knows which API server answers."""
