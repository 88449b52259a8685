"""Who owns which field: server-side apply and metadata.managedFields, as structured-merge-diff defines them.
Pure functions over decoded objects and compiled schemas; field sets are the FieldsV1 form itself.
"""
