"""How does a request become a reply?

Finds the handler, checks version, params and policy, awaits it and maps every exception to the wire: the only `except
Exception` between a socket and the domain. Nothing of ours (a traceback, a path, SQL) leaves in an error. Source:
PROTOCOL.md section 1.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import OperationalError as OrmOperationalError
from psycopg import OperationalError

from ahp_platform.protocol import jsonrpc, versions
from ahp_platform.protocol.errors import InternalError, InvalidRequest, MethodNotFound, ProtocolError
from ahp_platform.protocol.methods import CLIENT_NOTIFICATIONS, COMMANDS, Method, check_params
from ahp_platform.rpc.context import Context
from ahp_platform.rpc.table import Handler, Service

logger = logging.getLogger(__name__)

HANDSHAKES = ("initialize", "reconnect")


def find(service: Service, context: Context, request: jsonrpc.Request) -> Handler:
    """The request's handler; raises where there is none, or where the handshake is missing or repeated."""
    method, relay = request.method, service.relay
    handler = service.methods.get(method)
    introduced = bool(context.client.client_id)
    if method == "initialize" and introduced:
        raise InvalidRequest("This connection is initialized already")
    if not introduced and method not in (*HANDSHAKES, "ping"):
        raise InvalidRequest("The first message must be initialize or reconnect")
    if method in CLIENT_NOTIFICATIONS:
        raise InvalidRequest(f"{method} is a notification: send it without an id")
    if handler is None and relay is not None and relay.takes(method, request.params):
        return Handler(lambda context, params: relay.serve(context, method, params), ordered=False)
    if handler is None:
        if method in COMMANDS:
            # Not built yet; who may not call it is told that, as they will be when it is.
            service.policy.require_method(context.principal, method)
        raise MethodNotFound(f"Method not found: {method[:100]}")
    return handler


async def reply(service: Service, context: Context, handler: Handler, request: jsonrpc.Request) -> jsonrpc.Frame:
    """Run the request and return the reply's frame.

    After the handler nothing is awaited, so that what it registered and its reply stay together.
    """
    try:
        result = await handler.call(context, _judged(service, context, request))
        return jsonrpc.result_frame(request.id, versions.result(context.client.version or None, request.method, result))
    except ProtocolError as error:
        return jsonrpc.error_text(request.id, error)
    except (OperationalError, OrmOperationalError):
        logger.warning("%s failed: the database is away", request.method)
        return jsonrpc.error_text(request.id, InternalError("The host cannot reach its database; try again"))
    except Exception:
        logger.exception("%s failed", request.method)
        return jsonrpc.error_text(request.id, InternalError("Internal error"))


def _judged(service: Service, context: Context, request: jsonrpc.Request) -> dict[str, Any]:
    spec = COMMANDS.get(request.method)
    if spec is None:
        # Not one of ours: whoever takes it judges it.
        return request.params if isinstance(request.params, dict) else {}
    params = _params(context, request, spec)
    service.policy.require_method(context.principal, request.method)
    return params


def _params(context: Context, request: jsonrpc.Request, spec: Method) -> dict[str, Any]:
    adapted = versions.params(context.client.version or None, request.method, request.params)
    return check_params(spec, adapted)
