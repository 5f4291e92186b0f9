"""Which Celery application do the workers run? Long work only; nothing of it carries truth, the log does."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import worker_init

from ahp_platform.row_security.checks import warn_unless_fenced

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ahp_platform.settings")

app = Celery("ahp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
worker_init.connect(warn_unless_fenced)
