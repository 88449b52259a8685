"""A small JSON service: Flask under gunicorn."""

import os
import time

from flask import Flask, jsonify

app = Flask(__name__)
STARTED = time.time()


@app.get("/")
def index():
    return jsonify(
        message=os.environ.get("GREETING", "Hello from Flask"),
        commit=os.environ.get("SETPOINT_COMMIT", "unknown"),
        upSeconds=round(time.time() - STARTED, 1),
    )


@app.get("/echo/<text>")
def echo(text):
    return jsonify(text=text)
