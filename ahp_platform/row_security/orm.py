"""How does Django's own connection get the scope of the code that uses it?

Each statement goes through `in_scope`, which changes role and tenant before it where they are not what `tenancy` says. A change that
was made inside a transaction is gone when that is rolled back, so it is not relied on once the transaction, or a savepoint, has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.conf import settings
from psycopg import Connection
from psycopg.pq import TransactionStatus

from ahp_platform import tenancy
from ahp_platform.row_security import names

_SET = f"SELECT set_config('role', %s, false), set_config('{names.TENANT_SETTING}', %s, false)"
# The names of savepoints are Django's business; going back to one undoes what was set since.
_BACK = "ROLLBACK TO"


class _Set(NamedTuple):
    scope: tenancy.Scope
    in_transaction: bool


_AS_IT_CAME = _Set(tenancy.AS_CONNECTED, False)
# None: not known, so it is set before the next statement.
_set_to: WeakKeyDictionary[Connection[Any], _Set | None] = WeakKeyDictionary()


def fence(connection: Any, **_: Any) -> None:
    """Receiver of Django's `connection_created`."""
    if in_scope not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, in_scope)


def in_scope(execute: Callable[..., Any], statement: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Run a statement as the role, and for the tenant, that the code around it has said."""
    django = context["connection"]
    if settings.AHP_DATABASE_ROLE == names.APPLICATION and django.vendor == "postgresql":
        raw = django.connection
        if raw.info.transaction_status != TransactionStatus.INERROR:
            with django.wrap_database_errors:
                _change(raw, django.settings_dict["NAME"])
        if str(statement).startswith(_BACK):
            _set_to[raw] = None
    return execute(statement, params, many, context)


def _change(raw: Connection[Any], database: str) -> None:
    wanted, known = tenancy.current(), _set_to.get(raw, _AS_IT_CAME)
    if known is not None and known.scope == wanted and not (known.in_transaction and _is_idle(raw)):
        return
    _set_to[raw] = None
    raw.execute(_SET, (_role(wanted, database), str(wanted) if isinstance(wanted, int) else ""))
    _set_to[raw] = _Set(wanted, not _is_idle(raw))


def _is_idle(raw: Connection[Any]) -> bool:
    return raw.info.transaction_status == TransactionStatus.IDLE


def _role(scope: tenancy.Scope, database: str) -> str:
    if scope == tenancy.AS_CONNECTED:
        return "none"
    return names.across_role(database) if scope == tenancy.ACROSS else names.application_role(database)
