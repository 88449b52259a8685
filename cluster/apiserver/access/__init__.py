"""Who is asking and what they may do: tokens, certificates, rules, all read from one file.
Knows requests only as (verb, group, resource, namespace, name).
"""
