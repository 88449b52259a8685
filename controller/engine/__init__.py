"""The engine: kopf's events in, one cache, one keyed queue, one wrapper around every reconciler.
It knows no kind of ours; what a kind means is in `controller/reconcilers`."""
