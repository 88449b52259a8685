"""The half that nobody asks: does a piece of work every few seconds, and stops cleanly."""

import signal
import threading

stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())
done = 0
print("worker started", flush=True)
while not stop.wait(5):
    done += 1
    print(f"worker did piece {done}", flush=True)
print(f"worker stops after {done} pieces", flush=True)
