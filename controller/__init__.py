"""The loop: one reconciler a kind, the engine around kopf, the table that ties them.
It talks to records only: no process is started and no repository is read here."""
