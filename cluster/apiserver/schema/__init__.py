"""Structural schemas: compiled once, then used to prune, default and validate objects and to find list keys.
Pure: no I/O, no kinds, no requests; problems come back as lists of `FieldError`.
"""
