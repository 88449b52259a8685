"""The walls around code that is not ours: bubblewrap's arguments, starting it, its processes, what the kernel allows.
Knows nothing of records, builds or instances; whoever runs something in a sandbox says what it may see."""
