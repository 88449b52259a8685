"""A real API server with etcd on this machine, for who wants it: built from Go modules, run as the embedded one is.
Nothing above may know which of the two answers; `cluster/apiserver` and this folder know nothing of each other.
"""
