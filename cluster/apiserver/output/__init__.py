"""How stored objects are shown: as themselves, as a Table, as metadata only, in lists and in watch events.
Pure: given objects and what the client accepts, bytes come out.
"""
