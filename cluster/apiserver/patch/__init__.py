"""The patch formats as pure functions: merge (RFC 7386), JSON patch (RFC 6902), strategic merge for built-in kinds.
No objects' rules here: what comes out is validated by the verbs.
"""
