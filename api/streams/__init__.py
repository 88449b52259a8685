"""Event streams: the log of a deploy and the log of a project, in one order for every client, and resumable.
What is in a stream is decided purely (`script`); the rest waits and fetches. No HTTP."""
