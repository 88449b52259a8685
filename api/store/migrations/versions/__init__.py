"""Alembic's scripts, oldest first. Each changes the schema once, for SQLite and PostgreSQL.
No model of today is imported here: a script stays true when the models move on."""
