"""What may pass in the fabric, as nftables rules: what an instance sends goes to the egress proxy, to the names'
forwarder, or nowhere. Nothing is passed on from one link to another."""

import logging
import socket

from cluster.fabric.addresses import GATEWAY, INSTANCE_PORT
from cluster.fabric.netlink import Netlink
from cluster.fabric.nftables import (
    ACCEPT,
    BATCH_BEGIN,
    BATCH_END,
    DELETE_TABLE,
    DROP,
    FORWARD,
    INET,
    INPUT,
    IPV4,
    NAT_PRIORITY,
    NETFILTER,
    NEW_TABLE,
    OUTPUT,
    PREROUTING,
    RAW_PRIORITY,
    Often,
    batch,
    destination,
    expression,
    from_interface,
    known,
    more_often,
    new_chain,
    new_rule,
    new_set,
    opening,
    port,
    protocol,
    redirect,
    source_port,
    table,
    verdict,
)

_log = logging.getLogger(__name__)
EGRESS_PORT = 15001
NAMES_PORT = 15053
ASKING = Often("asking", 1, 200, 200)
"""For names, so that nobody's questions fill the queue that all share; the forwarder gives each a share of its time."""
CONNECTING = Often("connecting", 2, 300, 1500)
"""By TCP: what is remembered of a connection that ended, times this, is the share of the kernel's table of each."""


def ruleset(limits: list[bytes]) -> list[bytes]:
    """One batch that replaces whatever stands: all of it or nothing. `limits`: rules that come before all others.

    The kernel keeps no state of what the router asks of instances: so it is quicker, and an instance that fills the
    table of connections with its own keeps nobody from being served. (What comes from an instance's port untracked is
    led nowhere, and what it may reach of the fabric by it are listeners that it reaches anyway.)"""
    names = (*destination(GATEWAY), *port(53))
    redirects = [
        (*protocol(socket.IPPROTO_TCP), *names, *redirect(NAMES_PORT)),
        (*protocol(socket.IPPROTO_UDP), *names, *redirect(NAMES_PORT)),
        (*protocol(socket.IPPROTO_TCP), *redirect(EGRESS_PORT)),
    ]
    serving = (*protocol(socket.IPPROTO_TCP), *port(INSTANCE_PORT), expression("notrack"))
    served = (*protocol(socket.IPPROTO_TCP), *source_port(INSTANCE_PORT), expression("notrack"))
    inward = [
        (*known(), verdict(ACCEPT)),
        (*from_interface(1), verdict(ACCEPT)),
        (*protocol(socket.IPPROTO_TCP), *port(EGRESS_PORT), verdict(ACCEPT)),
        (*protocol(socket.IPPROTO_TCP), *port(NAMES_PORT), verdict(ACCEPT)),
        (*protocol(socket.IPPROTO_UDP), *port(NAMES_PORT), verdict(ACCEPT)),
    ]
    return [
        batch(BATCH_BEGIN),
        table(NEW_TABLE, IPV4),
        table(DELETE_TABLE, IPV4),
        table(NEW_TABLE, IPV4),
        table(NEW_TABLE, INET),
        table(DELETE_TABLE, INET),
        table(NEW_TABLE, INET),
        new_chain(IPV4, "served", "filter", PREROUTING, RAW_PRIORITY, ACCEPT),
        *limits,
        new_rule(IPV4, "served", *served),
        new_chain(IPV4, "serving", "filter", OUTPUT, RAW_PRIORITY, ACCEPT),
        new_rule(IPV4, "serving", *serving),
        new_chain(IPV4, "redirect", "nat", PREROUTING, NAT_PRIORITY, ACCEPT),
        *(new_rule(IPV4, "redirect", *expressions) for expressions in redirects),
        new_chain(INET, "input", "filter", INPUT, 0, DROP),
        *(new_rule(INET, "input", *expressions) for expressions in inward),
        new_chain(INET, "forward", "filter", FORWARD, 0, DROP),
        batch(BATCH_END),
    ]


def limits() -> list[bytes]:
    """Who asks or connects too often is dropped before anything is remembered of it: what comes by a wire has the
    wire's address, or the kernel lets it not in."""
    asking = (*protocol(socket.IPPROTO_UDP), *port(53), *more_often(ASKING), verdict(DROP))
    connecting = (*protocol(socket.IPPROTO_TCP), *opening(), *more_often(CONNECTING), verdict(DROP))
    return [
        *(new_set(IPV4, each) for each in (ASKING, CONNECTING)),
        *(new_rule(IPV4, "served", *each) for each in (asking, connecting)),
    ]


def install() -> None:
    """Into the network namespace that this process is in; kernels that cannot count for each address do without.
    Raises OSError."""
    netlink = Netlink(NETFILTER)
    try:
        netlink.say(*ruleset(limits()))
    except OSError as error:
        _log.warning("instances are not kept from asking and connecting too often: %s", error)
        netlink.say(*ruleset([]))
    finally:
        netlink.close()
