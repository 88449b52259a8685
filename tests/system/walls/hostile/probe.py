"""What a hostile tenant tries, from wherever its code runs. Prints (or answers) what it reached: it must be nothing.

Goes into test projects as it is, with its folder: standard library alone, any Python from 3.9 on."""

import contextlib
import ctypes
import json
import os
import socket
import struct
import sys
import threading
import time

from .processes import call, others, succeeds, sweep

PATIENCE = 1.5


ASK = b"GET / HTTP/1.0\r\n\r\n"
MPTCP = 262
FAST_OPEN = 0x20000000


def plainly(s, place):
    s.connect(place)
    s.sendall(ASK)


def as_it_sends(s, place):
    """Without connect: what is forbidden there may not be here. With a timeout it does not wait itself."""
    with contextlib.suppress(BlockingIOError):
        s.sendto(ASK, FAST_OPEN, place)


def tcp(place, connect=plainly, protocol=0):
    """Any byte, or a connection that stays open: something is there."""
    host, port = place
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_STREAM, protocol) as s:
        s.settimeout(PATIENCE)
        connect(s, (host, port))
        try:
            return bool(s.recv(100))
        except TimeoutError:
            return True
    return False


def udp(place):
    host, port = place
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as s,
    ):
        s.settimeout(PATIENCE)
        s.sendto(b"hello", (host, port))
        return bool(s.recv(100))
    return False


def abstract(name):
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as s:
        s.settimeout(PATIENCE)
        s.connect("\0" + name)
        return True
    return False


def path(name):
    return os.path.exists(name)


def raw(family, kind, protocol=0):
    return succeeds(lambda: socket.socket(family, kind, protocol).close())


def change_address():
    """SIOCSIFADDR, SIOCSIFHWADDR, SIOCSIFFLAGS: an address of somebody else."""
    libc = ctypes.CDLL(None, use_errno=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for number in (0x8916, 0x8924, 0x8914):
            request = struct.pack("16sHH4s8s", b"eth0", socket.AF_INET, 0, socket.inet_aton("198.18.1.1"), b"")
            if libc.ioctl(s.fileno(), number, ctypes.create_string_buffer(request, 40)) == 0:
                return True
    return False


def steal(place, protocol=0, seconds=1.0):
    """Listen where somebody else does, in the hope of getting what is meant for them: many come each second."""
    host, port = place
    got = []
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        s.bind((host, port))
        s.listen()
        s.settimeout(0.2)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(socket.timeout):
                s.accept()[0].close()
                got.append(1)
    return bool(got)


def attempts(targets):
    for place in targets["tcp"]:
        yield "tcp", place, lambda place=place: tcp(place)
    for place in targets["disguised"]:
        yield "mptcp", place, lambda place=place: tcp(place, protocol=MPTCP)
        yield "fast open", place, lambda place=place: tcp(place, as_it_sends)
    for place in targets["udp"]:
        yield "udp", place, lambda place=place: udp(place)
    for name in targets["abstract"]:
        yield "abstract", name, lambda name=name: abstract(name)
    for name in targets["paths"]:
        yield "path", name, lambda name=name: path(name)
    for place in targets["listeners"]:
        yield "steal", place, lambda place=place: steal(place)
        yield "steal by mptcp", place, lambda place=place: steal(place, MPTCP)
    yield "raw", "icmp", lambda: raw(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    yield "raw", "packet", lambda: raw(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
    yield "raw", "vsock", lambda: raw(40, socket.SOCK_STREAM)
    yield "change", "address", change_address
    yield "unshare", "user", lambda: call("unshare", 0x10000000)
    yield "unshare", "network", lambda: call("unshare", 0x40000000)
    yield "mount", "tmpfs", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
    yield "processes", "others", lambda: others(targets["bait"]["name"])


def probe(targets):
    """Processes first, while there are no threads of ours that come and go; then all at once: most of it is waiting."""
    reached, threads = sweep(targets["pids_below"], targets["bait"]["pid"]), []
    places = threading.BoundedSemaphore(300)

    def run(kind, target, attempt):
        with places:
            if attempt():
                reached.append([kind, target])

    for each in attempts(targets):
        threads.append(threading.Thread(target=run, args=each))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return sorted(reached, key=repr)


def serve():
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer([])

        def do_POST(self):
            self.answer(probe(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def answer(self, said):
            body = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    HTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Page).serve_forever()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        print("REACHED " + json.dumps(probe(json.load(open(sys.argv[1])))), flush=True)
