"""The way out of the fabric: which addresses what runs inside may reach, which names it is told, what it used.
Knows no namespace and no wire; the keeper hands it the sockets at which everything arrives."""
