"""Where an installation keeps its records: decided once, since they do not move."""

import json

from setpoint.installation import Installation, InstallationError, read_json, write_file
from setpoint.settings import Settings

_NOTE = "records.json"
EMBEDDED, REAL, CLUSTER = "embedded", "real", "cluster"
_TOLD = {
    EMBEDDED: "in the API that Setpoint brings",
    REAL: "in a control plane of its own (--control-plane real)",
    CLUSTER: "in a cluster (--kubeconfig)",
}


def keep_records_where_they_are(settings: Settings, installation: Installation) -> None:
    """Raises InstallationError when these settings would begin anew elsewhere."""
    wanted = CLUSTER if settings.kubeconfig else settings.control_plane
    note = installation.root / _NOTE
    known = (read_json(note) or {}).get("where")
    if known is None:
        # From before there was a choice, or new.
        known = EMBEDDED if (installation.root / "apiserver" / "state.db").exists() else wanted
        write_file(note, json.dumps({"where": known}))
    if known != wanted:
        raise InstallationError(
            f"{installation.root} keeps its records {_TOLD[known]}, and not {_TOLD[wanted]}: start it as before, or "
            "choose another --data-dir."
        )
