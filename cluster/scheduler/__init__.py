"""Which node runs what: instances of workloads, builds, looks into repositories; and what became of lost nodes.
It decides and writes records, nothing else: no process is started here, no address is known here."""
