"""The SQL store: tables, queries, migrations. Rows only: people, keys, kept answers, deliveries seen.
No rule about who may do what, nothing of HTTP; what is a record is never a row too."""
