"""Which resources do our tokens name (RFC 8707)? Everything of ours lies under AHP_PUBLIC_URL; sockets under `/ahp/<tenant>`."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings


def here() -> str:
    """Our own address, which is also the issuer of our tokens."""
    url: str = settings.AHP_PUBLIC_URL
    return url.rstrip("/")


def socket_resource(slug: str) -> str:
    """The resource indicator of a tenant's socket."""
    return f"{here()}/ahp/{slug}"


def is_ours(resource: str) -> bool:
    """Whether the resource lies on this host."""
    return resource == here() or resource.startswith(f"{here()}/")


def tenants_named(resources: Iterable[str]) -> set[str]:
    """The slugs of the tenants whose sockets are among the resources."""
    sockets = f"{here()}/ahp/"
    return {resource.removeprefix(sockets) for resource in resources if resource.startswith(sockets)}
