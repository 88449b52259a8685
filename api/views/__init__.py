"""From records (and what a runtime said) to what an answer shows; one module a resource.
Pure: no I/O, no clock; a status word is derived in one place."""
