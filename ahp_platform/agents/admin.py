"""What do operators see of agents, and what can they have done?"""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from unfold.admin import ModelAdmin

from ahp_platform.agents.catalogue import edits
from ahp_platform.agents.catalogue.form import AgentForm
from ahp_platform.agents.catalogue.rows import Agent

FINDINGS = (
    "standing",
    "problem_in_full",
    "installed_version",
    "reported_models",
    "reported_options",
    "use",
    "checked_at",
)
_USE = """
SELECT (SELECT count(*) FROM sessions_app_session WHERE provider = %s),
    (SELECT count(*) FROM agents_turn WHERE provider = %s AND state = 'running')
"""


@admin.register(Agent)
class AgentAdmin(ModelAdmin):  # type: ignore[misc]
    """Agents that speak the Agent Client Protocol. What is saved here is in force everywhere within two seconds."""

    form = AgentForm
    list_display = ("provider", "display_name", "enabled", "standing", "problem_in_short", "model_count", "who", "use")
    list_filter = ("enabled", "install_state", "check_state")
    search_fields = ("provider", "display_name")
    filter_horizontal = ("tenants",)
    readonly_fields = FINDINGS
    actions = ("install", "try_start", "disable")
    fieldsets: ClassVar = (
        (None, {"fields": ("provider", "display_name", "description", "enabled")}),
        ("How it stands", {"fields": FINDINGS}),
        ("Program", {"fields": ("command_line", "variables", "new_secrets", "forget_secrets", "offered_models")}),
        ("Package", {
            "fields": ("package_kind", "package", "package_version", "package_scripts"),
            "description": "What a worker installs so that the command is there; its programs come first on the PATH.",
        }),
        ("Who may use it", {"fields": ("everywhere", "tenants", "roles")}),
        ("Limits", {"fields": ("run_time_s", "memory_mb", "idle_s", "network", "own_home")}),
    )  # fmt: skip

    def get_readonly_fields(self, request: HttpRequest, obj: Agent | None = None) -> tuple[str, ...]:
        """The id is in sessions and in clients: it is given once."""
        return (*FINDINGS, "provider") if obj else FINDINGS

    @method_decorator(sensitive_post_parameters("new_secrets"))
    def changeform_view(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """As always, but a report of an error here leaves the secrets out."""
        view: HttpResponseBase = super().changeform_view(*args, **kwargs)
        return view

    def save_model(self, request: HttpRequest, obj: Agent, form: AgentForm, change: bool) -> None:
        """Save and have a worker look at it."""
        edits.save(obj, request.user, also=["tenants"] if "tenants" in form.changed_data else [])

    def delete_model(self, request: HttpRequest, obj: Agent) -> None:
        """Its sessions stay and say that it is gone."""
        edits.remove(obj, request.user)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Agent]) -> None:
        """One by one, so that each is in the audit log."""
        for agent in queryset:
            edits.remove(agent, request.user)

    @admin.action(description="Install the package (again)")
    def install(self, request: HttpRequest, agents: QuerySet[Agent]) -> None:
        """A worker does it; the page shows how it goes."""
        for agent in agents:
            agent.ask_to_install()
            self._asked(request, agent, "agent.install")
        messages.info(request, "A worker has been asked; reload this page to see how it goes.")

    @admin.action(description="Try whether it starts")
    def try_start(self, request: HttpRequest, agents: QuerySet[Agent]) -> None:
        """A worker does it."""
        for agent in agents:
            agent.ask_to_check()
            self._asked(request, agent, "agent.check")
        messages.info(request, "A worker has been asked; reload this page to see how it goes.")

    @admin.action(description="Switch off")
    def disable(self, request: HttpRequest, agents: QuerySet[Agent]) -> None:
        """Nobody can use it from now on."""
        for agent in agents:
            agent.enabled = False
            edits.save(agent, request.user)
        messages.success(request, "Switched off. Sessions with it stay and say so.")

    def _asked(self, request: HttpRequest, agent: Agent, act: str) -> None:
        agent.save()
        edits.tell(edits.Edit(act, agent.provider, request.user))

    @admin.display(description="state")
    def standing(self, agent: Agent) -> str:
        """How far it is."""
        if not agent.enabled:
            return "off"
        installing = agent.install_state not in (Agent.Install.NONE, Agent.Install.INSTALLED)
        if installing and agent.install_message and agent.install_state != Agent.Install.FAILED:
            return f"{agent.get_install_state_display()}: {agent.install_message}"
        return str(agent.get_install_state_display() if installing else agent.get_check_state_display())

    @admin.display(description="last error")
    def problem_in_short(self, agent: Agent) -> str:
        """The first line of it."""
        return agent.problem.split("\n")[0][:120]

    @admin.display(description="last error")
    def problem_in_full(self, agent: Agent) -> str:
        """What the worker was told."""
        return agent.problem or "none"

    @admin.display(description="models")
    def model_count(self, agent: Agent) -> int:
        """Those that people may choose from."""
        return len(agent.offered_models or agent.discovered.get("models", ()))

    @admin.display(description="models it reports")
    def reported_models(self, agent: Agent) -> str:
        """Their names."""
        return (
            ", ".join(str(model.get("name", model.get("id"))) for model in agent.discovered.get("models", ())) or "none"
        )

    @admin.display(description="what it lets people set")
    def reported_options(self, agent: Agent) -> str:
        """Modes and options of its sessions."""
        found = agent.discovered
        modes = [f"mode {mode.get('name', mode.get('id'))}" for mode in found.get("modes", ())]
        return ", ".join([*modes, *(str(option.get("name")) for option in found.get("configOptions", ()))]) or "nothing"

    @admin.display(description="who may use it")
    def who(self, agent: Agent) -> str:
        """Tenants and roles."""
        tenants = (
            "every tenant" if agent.everywhere else ", ".join(str(each) for each in agent.tenants.all()) or "no tenant"
        )
        return f"{tenants}: {', '.join(agent.roles)}" if agent.roles else tenants

    @admin.display(description="sessions, turns at work")
    def use(self, agent: Agent) -> str:
        """How much it is used now."""
        with connection.cursor() as cursor:
            cursor.execute(_USE, (agent.provider, agent.provider))
            sessions, turns = cursor.fetchone()
        return f"{sessions}, {turns}"
