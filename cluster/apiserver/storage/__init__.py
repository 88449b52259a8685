"""Where objects live: the event log in SQLite, the committed state in memory, and the writer between them.
No HTTP, no schemas, no kinds: a resource is a name, an object is bytes with a little index beside it.
"""
