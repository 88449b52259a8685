"""A page that greets. Nothing but Python's standard library."""

import os
import signal
import sys
import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GREETING = os.environ.get("GREETING", "Hello from Setpoint")
COMMIT = os.environ.get("SETPOINT_COMMIT", "")[:12]

PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{escape(GREETING)}</title>
<style>
  body {{ display: grid; place-content: center; min-height: 100vh; margin: 0; text-align: center;
         font: 1.1rem/1.6 system-ui, sans-serif; color: #16324f; background: #f4f9ff }}
  h1 {{ font-size: 2.6rem; margin: 0 0 .4rem }}
  code {{ background: #dcebfa; border-radius: .3rem; padding: .1rem .4rem }}
</style>
<h1>{escape(GREETING)}</h1>
<p>This page is served by a process that the control loop keeps running.</p>
<p>Commit <code>{escape(COMMIT) or "unknown"}</code></p>
</html>
""".encode()


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(PAGE)

    do_HEAD = do_GET


def main() -> None:
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000")))
    server = ThreadingHTTPServer(address, Page)

    def stop(*_: object) -> None:
        print("Asked to stop: finishing what is open.")
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    print(f"Listening on {address[0]}:{address[1]}", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()


if __name__ == "__main__":
    sys.exit(main())
