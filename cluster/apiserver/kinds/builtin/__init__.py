"""The built-in kinds, one file each: Namespace, Secret, ConfigMap, Event, Lease, CustomResourceDefinition.
Only kinds that Kubernetes itself has; a kind of the platform comes as a CRD.
"""
