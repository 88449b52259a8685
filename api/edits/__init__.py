"""From a request to the record, or the edit of a record, that it asks for; one module a resource.
Pure: no I/O; what cannot be is refused here with a Problem that says how to mend it."""
