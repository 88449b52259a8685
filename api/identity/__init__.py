"""Who calls and what they may: keys, roles, scopes, the first owner.
Queries are in `api.store`; nothing here knows of HTTP or of projects."""
