"""How one deploy gets from a ref to traffic: what is seen goes in, the next actions and the new status come out.
Nothing is done here; the same view always gives the same plan."""
