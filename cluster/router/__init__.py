"""Traffic: brings requests by hostname to ready instances, through HAProxy that is driven from here.
Deciding is in `plan`, `slots` and `metrics` (pure); only `process`, `files` and `admin` touch HAProxy."""
