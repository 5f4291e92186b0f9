"""How are rows shown that operators look at and do not write, and how is what they do to them kept?"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from unfold.admin import ModelAdmin


class OnlyLooking(ModelAdmin):  # type: ignore[misc]
    """Nothing is added, changed or deleted; actions may be offered.

    An action says what it did with `acts.tell`, for the audit log.
    """

    list_per_page = 50
    # The number of all rows beside that of those found costs a second count of everything.
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They come about elsewhere."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They are what happened."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """They stay, or go by an action that says what it does."""
        return False
