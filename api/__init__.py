"""The thin /v1 API: the endpoint table, its adapter, identity, the SQL store.
An endpoint turns a request into the edit of a record, or a record into a view; it never does the work itself."""
