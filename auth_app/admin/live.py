"""What is open right now, and how does an operator end it?"""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from ahp_platform.looking import OnlyLooking
from auth_app import audit
from auth_app.models import OpenSocket


@admin.register(OpenSocket)
class OpenSocketAdmin(OnlyLooking):
    """The sockets of all processes. Ending one closes the connection; to keep somebody out, end what they came in with."""

    list_display = ("user", "tenant", "client_id", "address", "opened_at", "ending")
    list_filter = ("tenant",)
    search_fields = ("user__username", "client_id", "address")
    list_select_related = ("user", "tenant")
    actions = ("end",)

    @admin.action(description="End the chosen connections")
    def end(self, request: HttpRequest, sockets: QuerySet[OpenSocket]) -> None:
        """The processes that hold them close them within a second or two."""
        for socket in sockets:
            audit.record("socket.ended", request.user, socket.tenant_id, subject=f"{socket.user} {socket.client_id}")
        count = sockets.update(ending=True)
        messages.success(request, f"{count} connections end within two seconds.")
