"""One module a part: from the settings and the data folder to that part's own configuration.
No deciding and no starting of others here; `run` returns when it is cancelled."""
