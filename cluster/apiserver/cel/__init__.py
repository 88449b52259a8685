"""A small evaluator of the Common Expression Language, for the validation rules of CRDs.
Supports the operators, macros and functions that docs in `functions` list; anything else is refused when compiled.
"""
