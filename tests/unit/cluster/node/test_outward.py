"""What of a network's connections are an instance's own, by a real one's: this test's."""

import os
import socket

from cluster.node.outward import connections_out, sockets


def test_those_that_it_opens_count_and_those_that_come_in_to_its_port_do_not() -> None:
    """Every connection here has both its ends in this network: each is one outward, whoever else has some."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=100)
    port = listener.getsockname()[1]
    before = connections_out(os.getpid(), port)
    opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    there = [listener.accept()[0] for _ in opened]
    assert abs(connections_out(os.getpid(), port) - before - 50) < 20
    assert connections_out(os.getpid(), 1) - connections_out(os.getpid(), port) >= 50
    assert sockets(os.getpid()) >= 100
    for each in (*opened, *there, listener):
        each.close()


def test_of_a_process_that_is_no_more() -> None:
    assert (connections_out(1 << 30, 80), sockets(1 << 30)) == (0, 0)
