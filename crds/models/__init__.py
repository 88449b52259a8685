"""One module a kind: its spec, its status and how kubectl shows it. Data only.
No I/O, no deciding; a kind that is not in `crds/kinds.py` does not exist."""
