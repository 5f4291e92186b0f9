"""Which roles are there? `policy.py` says what each may do."""

from __future__ import annotations

from django.db import models


class Role(models.TextChoices):
    """What a member may do, from most to least."""

    OWNER = "owner"
    OPERATOR = "operator"
    MEMBER = "member"
    VIEWER = "viewer"
