"""From commits to watchers: the hub that hands events out and what each watcher makes of them.
No HTTP: a watcher is fed events and yields encoded lines.
"""
