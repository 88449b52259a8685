"""The adapter between HTTP and the handlers: it routes, authenticates, authorises, validates, and writes answers.
Nothing here knows what a project or a deploy is."""
