"""OpenAPI documents of what is served, made from the same schemas that validate.
Made when asked for and kept until the served kinds change.
"""
