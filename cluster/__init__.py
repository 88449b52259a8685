"""The one-machine stand-in for a cluster: API server, scheduler, node agents with their builder, router.
Nothing above knows of it: delete this folder and the rest still runs on Kubernetes."""
