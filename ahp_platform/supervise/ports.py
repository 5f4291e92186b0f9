"""Which port can we listen on?"""

from __future__ import annotations

import random
import socket

# Below the range that Linux gives to outgoing connections: one of those could take a port before we listen there.
OURS = range(20_000, 32_000)


def free_port(host: str) -> int:
    """A port that nobody listens on now, and that no outgoing connection will take."""
    for port in random.sample(OURS, len(OURS)):
        if is_free(host, port):
            return port
    raise OSError("no port is free")


def is_free(host: str, port: int) -> bool:
    """Whether we could listen there. Asked without SO_REUSEPORT, which would happily share with another service of ours."""
    try:
        _bound(host, port).close()
    except OSError:
        return False
    return True


def listening(host: str, port: int) -> socket.socket:
    """A socket that shares its port with the other web processes: the kernel spreads new connections over those alive."""
    sock = socket.socket(_family(host), socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.bind((host, port))
    sock.setblocking(False)
    return sock


def _bound(host: str, port: int) -> socket.socket:
    sock = socket.socket(_family(host), socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
