"""Small projects that answer each request with what a function of theirs says."""

_SERVER = """
import http.server as _http, os as _os

class _Handler(_http.BaseHTTPRequestHandler):
    def do_GET(self):
        said = answer(self.path).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)
    def log_message(self, *_):
        pass

_http.ThreadingHTTPServer((_os.environ["HOST"], int(_os.environ["PORT"])), _Handler).serve_forever()
"""


def answering(program: str) -> dict[str, str]:
    """Its files. `program` has a function `answer`: of the path that is asked for, to the text that is answered."""
    return {"main.py": program + _SERVER}
