"""The kinds that are created to be answered, and never kept: who am I, may they, whose token is this, a token please.
An answer looks at what is there and changes nothing.
"""
