"""Which protocol version does a connection speak, and how does what we say look in it?

We think in the newest version. What goes to an older client is taken down step by step, newest step first; what
comes from it is taken up the other way round. Each step knows what one version brought. For the newest version
everything is the very same object. Source: PROTOCOL.md section 2; what is known of older versions is listed in
README.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ahp_platform.protocol.channel import ACTIONS
from ahp_platform.protocol.errors import InvalidParams, UnsupportedProtocolVersion
from ahp_platform.protocol.methods import SERVER_NOTIFICATIONS
from ahp_platform.protocol.versions import since_0_5_2, since_0_6_0, since_0_7_0
from ahp_platform.protocol.versions.step import Number, Step

SUPPORTED: Final = ("0.7.0", "0.6.0", "0.5.2", "0.5.1")

_STEPS: Final[tuple[Step, ...]] = (since_0_7_0.STEP, since_0_6_0.STEP, since_0_5_2.STEP)
_FORM = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def negotiate(offered: object) -> str:
    """The highest offered version that we can speak, as the client spelled it.

    Below 1.0 a version fits one of ours if the minor is the same and the patch is not lower.
    """
    if not isinstance(offered, list) or not all(isinstance(version, str) for version in offered):
        raise InvalidParams("params.protocolVersions: expected an array of strings")
    for index, version in enumerate(offered):
        if not _FORM.fullmatch(version):
            raise InvalidParams(f"params.protocolVersions[{index}]: expected MAJOR.MINOR.PATCH")
    fitting: list[str] = [
        version for version in offered if any(_fits(_number(version), _number(ours)) for ours in SUPPORTED)
    ]
    if not fitting:
        raise UnsupportedProtocolVersion(
            "None of the offered protocol versions is supported", {"supportedVersions": list(SUPPORTED)}
        )
    return max(fitting, key=_number)


def _number(version: str) -> Number:
    major, minor, patch = (int(part) for part in version.split("."))
    return major, minor, patch


def _fits(offered: Number, ours: Number) -> bool:
    return offered[:2] == ours[:2] and offered >= ours


def _missing(version: str) -> list[Step]:
    """The steps that the version did not take yet, the newest first."""
    number = _number(version)
    return [step for step in _STEPS if step.since > number]


def action(version: str, newest: dict[str, Any]) -> dict[str, Any] | None:
    """An action on its way to a client; None where the version has nothing like it."""
    told: dict[str, Any] | None = newest
    for step in _missing(version):
        told = step.action_down(told) if told is not None else None
    return told if told is not None and _knows(version, told) else None


def _knows(version: str, told: Mapping[str, Any]) -> bool:
    spec = ACTIONS.get(told["type"])
    return spec is None or _number(spec.since) <= _number(version)


def incoming_action(version: str, older: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """An action as a client dispatched it. Where newer versions ask for a time that it did not send, it is `now_ms`."""
    for step in reversed(_missing(version)):
        older = step.action_up(older, now_ms)
    return older


def state(version: str, kind: str, newest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The state of a channel on its way to a client."""
    for step in _missing(version):
        newest = step.state_down(kind, newest)
    return newest


def notification(version: str, method: str, newest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The params of a notification on their way to a client; None where the version has no such notification."""
    known = SERVER_NOTIFICATIONS.get(method)
    if known is not None and _number(known.since) > _number(version):
        return None
    for step in _missing(version):
        newest = step.value_down(newest)
    return newest


def params(version: str | None, method: str, older: object) -> object:
    """The params of a request as a client sent them. Before the handshake there is no version yet."""
    if version is None or not isinstance(older, dict):
        return older
    for step in reversed(_missing(version)):
        older = step.params_up(method, older)
    return older


def result(version: str | None, method: str, newest: object) -> object:
    """The result of a request on its way to a client. Snapshots and envelopes in it have been taken down already."""
    if version is None or method != "listSessions" or not isinstance(newest, dict):
        return newest
    for step in _missing(version):
        newest = step.value_down(newest)
    return newest
