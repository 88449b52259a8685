"""Which kinds are served and what is special about each: the built-in ones as tables, the others made from CRDs.
Decides about objects (prepare, validate) but neither stores them nor speaks HTTP.
"""
