"""The edge: requests and responses as values, and the HTTP/1.1 protocol that carries them.
No decisions about objects: those are in `verbs`.
"""
