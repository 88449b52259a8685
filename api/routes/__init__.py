"""One module a resource: handlers that read a record, make an edit, and return a view.
No HTTP writing, no SQL, no deciding beyond that: what a row needs is checked before its handler runs."""
