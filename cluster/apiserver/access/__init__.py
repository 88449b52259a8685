"""Who is asking (tokens, certificates, service accounts) and what they may do (RBAC as the real server evaluates it).
Knows requests only as (verb, group, resource, namespace, name) or (verb, path).
"""
