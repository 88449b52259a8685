"""The records as the API sees them: read from the watch cache, edited by server-side apply as `setpoint-api`.
No request, no view; which edit is wanted comes in as data."""
