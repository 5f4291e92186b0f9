"""Which Celery application do the workers run? Long work only; nothing of it carries truth, the log does."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ahp_platform.settings")

app = Celery("ahp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
