"""One reconciler a kind: observe in the cache, decide by `planning`, apply, leave the status to the engine.
Level-triggered: none may ask what kind of event woke it, or call another one."""
