"""What a client can do to objects: create, get, list, watch, update, patch, apply, delete and the subresources.
Each verb turns a request into reads and writes of the store; bytes and sockets are `http`'s matter.
"""
