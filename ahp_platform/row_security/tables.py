"""Which tables hold rows of tenants, and what may the roles do with each table? Read from the models, so that no new one is forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from django.apps import apps
from django.db import connection, models

TENANT_MODEL = ("auth_app", "Tenant")
TENANT_COLUMN = "tenant_id"

ALL: Final = "SELECT, INSERT, UPDATE, DELETE"
# What a role may do where it may not do everything: for the application, and for it across tenants.
NARROWER: Final[Mapping[str, tuple[str, str]]] = {
    "django_migrations": ("SELECT", "SELECT"),
    # A view, with the rights of whoever asks.
    "sessions_app_livesession": ("SELECT", "SELECT"),
    # Rows leave by the retention alone, which looks across; nobody changes one (the trigger on the table says the same).
    "auth_app_auditevent": ("SELECT, INSERT", "SELECT, INSERT, DELETE"),
}
# Rows without a tenant in these say what holds for every tenant, so each may read them. Elsewhere such rows are the operators'.
FOR_EVERYBODY: Final = frozenset({"auth_app_quota"})


class TenantTable(NamedTuple):
    """A table and the column that says whose a row is."""

    name: str
    column: str

    @property
    def shows_rows_without_tenant(self) -> bool:
        """Whether each tenant reads the rows that are nobody's."""
        return self.name in FOR_EVERYBODY


def tenant_tables() -> list[TenantTable]:
    """Every table that belongs to tenants, and that of the tenants."""
    return sorted(_tenant_tables())


def all_tables() -> list[str]:
    """Every table and view of the installed apps, and the one in which Django notes the migrations."""
    views = {model._meta.db_table for model in apps.get_models() if not model._meta.managed}
    there = {*connection.introspection.django_table_names(only_existing=True)}
    return sorted({"django_migrations", *there, *(views & {*connection.introspection.table_names(include_views=True)})})


def allowed(table: str) -> tuple[str, str]:
    """What the application's role, and the one across tenants, may do with a table."""
    return NARROWER.get(table, (ALL, ALL))


def _tenant_tables() -> Iterator[TenantTable]:
    tenant = apps.get_model(*TENANT_MODEL)
    for model in apps.get_models(include_auto_created=True):
        if not model._meta.managed or model._meta.proxy:
            continue
        columns = {str(field.column) for field in model._meta.local_fields if _names_tenant(field, tenant)}
        if model is tenant:
            columns = {str(model._meta.pk.column)}
        if len(columns) > 1:
            raise ValueError(f"{model.__name__} names several tenants; whose are its rows?")
        for column in columns:
            yield TenantTable(model._meta.db_table, column)


def _names_tenant(field: models.Field[Any, Any], tenant: type[models.Model]) -> bool:
    return field.column == TENANT_COLUMN or field.related_model is tenant
