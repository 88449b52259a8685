"""What the server does by itself after writes: serve and withdraw CRDs, empty namespaces, collect what lost its owner.
Level-triggered on the committed state; it writes through the same store as the verbs.
"""
