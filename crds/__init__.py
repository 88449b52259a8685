"""The contract: one pydantic model a kind, names, conditions, the kind table, the generated CRDs, the client.
Nothing here decides or acts, and nothing of ours is imported here."""
