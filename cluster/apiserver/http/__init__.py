"""The edge: requests and responses as values, and the ASGI application between them and uvicorn.
No decisions about objects: those are in `verbs`.
"""
