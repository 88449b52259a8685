"""Protobuf as Kubernetes clients send it, decoded to the JSON form of the object. No other direction.
Only what kubectl sends: the built-in kinds and the two self reviews, driven by field tables.
"""
