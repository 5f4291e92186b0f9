"""Which settings does the service run with? The one settings file; README.md has the table of what the environment may set."""

from __future__ import annotations

import json
import os
import warnings
from datetime import timedelta
from typing import Any

from ahp_platform.db import database_from_url
from ahp_platform.env import env_bool, env_int, env_secret
from ahp_platform.local import PROJECT, data_dir
from ahp_platform.log_format import logging_config
from ahp_platform.row_security.names import APPLICATION, OWNER, as_application
from auth_app import oauth_settings

# Where we are, and how careful to be.
BASE_DIR = PROJECT
AHP_DATA_DIR = data_dir()
AHP_ROLES = frozenset(os.environ.get("AHP_ROLES", "web").split(","))
DEBUG = env_bool("AHP_DEBUG", False)
SECRET_KEY = env_secret("AHP_SECRET_KEY")
# Our own address as clients see it: names our authorization server and the resources that it protects.
AHP_PUBLIC_URL = os.environ.get("AHP_PUBLIC_URL", "http://127.0.0.1:8000")
OAUTH2_PROVIDER = oauth_settings.provider(AHP_PUBLIC_URL, env_secret("AHP_OIDC_KEY", ""))
# Probes ask from the same machine or container, whatever the service is called outside.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *filter(None, os.environ.get("AHP_ALLOWED_HOSTS", "").split(","))]
# Pages of these origins may use our cookies; those of AHP_TOKEN_ORIGINS may open sockets with tokens (`*`: any page).
CSRF_TRUSTED_ORIGINS = list(filter(None, os.environ.get("AHP_TRUSTED_ORIGINS", "").split(",")))
AHP_TOKEN_ORIGINS = frozenset(os.environ.get("AHP_TOKEN_ORIGINS", "*").split(","))

# The servers we stand on.
DATABASES = {"default": database_from_url(env_secret("DATABASE_URL"))}
# `app`: under a role that sees one tenant's rows at a time, made by `prepare` (web, host and Celery processes); `owner`: as it says.
AHP_DATABASE_ROLE = os.environ.get("AHP_DATABASE_ROLE") or OWNER
if AHP_DATABASE_ROLE == APPLICATION:
    DATABASES["default"] = as_application(DATABASES["default"], SECRET_KEY)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env_secret("REDIS_URL")
# Several installations may share one Redis; publish and subscribe ignore its database numbers.
AHP_REDIS_PREFIX = os.environ.get("AHP_REDIS_PREFIX", "ahp")
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {
            # redis-py's default read timeout would end a subscription that is merely quiet.
            "hosts": [{"address": REDIS_URL, "socket_timeout": None, "socket_connect_timeout": 2}],
            "prefix": AHP_REDIS_PREFIX,
        },
    }
}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": AHP_REDIS_PREFIX,
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    }
}

# Celery: a task is done when it is done, so one that a dying worker held is done again.
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": f"{AHP_REDIS_PREFIX}:", "visibility_timeout": 3600}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Limits of one connection, and how long the log replays.
AHP_MAX_FRAME_BYTES = env_int("AHP_MAX_FRAME_BYTES", 8 * 1024 * 1024)
AHP_MAX_SUBSCRIPTIONS = env_int("AHP_MAX_SUBSCRIPTIONS", 1000)
AHP_OUTBOX_BYTES = env_int("AHP_OUTBOX_BYTES", 8 * 1024 * 1024)
AHP_MESSAGES_PER_SECOND = env_int("AHP_MESSAGES_PER_SECOND", 1000)
AHP_REPLAY_HOURS = env_int("AHP_REPLAY_HOURS", 24)
AHP_REPLAY_ACTIONS = env_int("AHP_REPLAY_ACTIONS", 100_000)
AHP_REPLAY_MB = env_int("AHP_REPLAY_MB", 256)
AHP_CLIENT_GRACE_S = env_int("AHP_CLIENT_GRACE_S", 30)
AHP_LEASE_S = env_int("AHP_LEASE_S", 15)
# An agent that says and asks nothing for this long counts as hung; one without turns for this long is closed.
AHP_TURN_SILENCE_S = env_int("AHP_TURN_SILENCE_S", 1800)
AHP_AGENT_IDLE_S = env_int("AHP_AGENT_IDLE_S", 600)
# What fences shells: `bubblewrap`, `local` (nothing does), or `auto` (bubblewrap where it works, else nothing).
AHP_SANDBOX = os.environ.get("AHP_SANDBOX", "bubblewrap")
AHP_SHELL = os.environ.get("AHP_SHELL", "")
# How much memory a shell or an agent may take with all that it starts, where control groups can be made (0: no limit); the group
# (cgroup v2) below which they are made where it is not found, or `off`.
AHP_SANDBOX_MEMORY_MB = env_int("AHP_SANDBOX_MEMORY_MB", 4096)
AHP_CGROUP = os.environ.get("AHP_CGROUP", "")
AHP_MAX_TERMINALS = env_int("AHP_MAX_TERMINALS", 200)
# How long the audit log is kept.
AHP_AUDIT_DAYS = env_int("AHP_AUDIT_DAYS", 365)
AHP_REDIS_GRACE_S = env_int("AHP_REDIS_GRACE_S", 10)
AHP_POOL_SIZE = env_int("AHP_POOL_SIZE", 8)
AHP_MAX_READ_BYTES = env_int("AHP_MAX_READ_BYTES", 32 * 1024 * 1024)
AHP_MAX_WATCHES = env_int("AHP_MAX_WATCHES", 200)
# The program that `up` offers as agent `opencode`; empty: the one on the PATH.
AHP_OPENCODE = os.environ.get("AHP_OPENCODE", "")
# `host:port` (or `host:*`) that MCP servers by address may be reached at although they are not public; tokens go there without TLS, too.
AHP_MCP_PRIVATE_HOSTS = frozenset(filter(None, os.environ.get("AHP_MCP_PRIVATE_HOSTS", "").split(",")))
# Directories outside of the tenants' own whose contents operators may let people reach, separated by colons.
AHP_GRANTABLE_ROOTS = tuple(filter(None, os.environ.get("AHP_GRANTABLE_ROOTS", "").split(":")))

INSTALLED_APPS = [
    "daphne",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "oauth2_provider",
    "axes",
    "ahp_platform",
    "ahp_platform.eventlog",
    "ahp_platform.agents",
    "ahp_platform.page",
    "auth_app",
    "sessions_app",
    "terminals_app",
    "changesets_app",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ahp_platform.headers.SecurityHeaders",
    "auth_app.addresses.RemoteAddress",
    "ahp_platform.row_security.requests.RequestScope",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "ahp_platform.urls"
ASGI_APPLICATION = "ahp_platform.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# What sessions show but is too big for the database. Any storage backend of Django, with its options as JSON:
# `storages.backends.s3.S3Storage` of django-storages with {"bucket_name": …, "endpoint_url": …} for an S3 store.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "content": {
        "BACKEND": os.environ.get("AHP_CONTENT_STORAGE", "django.core.files.storage.FileSystemStorage"),
        "OPTIONS": json.loads(
            env_secret("AHP_CONTENT_STORAGE_OPTIONS", json.dumps({"location": str(AHP_DATA_DIR / "content")}))
        ),
    },
}

# Static files: served by the web processes themselves, found where they lie; nothing to collect or build.
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
# WhiteNoise hands Django synchronous files; they are small and read whole, which is all that the warning is about.
warnings.filterwarnings("ignore", "StreamingHttpResponse must consume synchronous iterators")

# Browsers. AHP_HTTPS=0 is for one's own machine; behind a proxy that ends TLS, AHP_BEHIND_PROXY=1 believes its header.
AHP_HTTPS = env_bool("AHP_HTTPS", True)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env_bool("AHP_BEHIND_PROXY", False) else None
SECURE_SSL_REDIRECT = AHP_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 31_536_000 if AHP_HTTPS else 0
SILENCED_SYSTEM_CHECKS = [
    # Other subdomains are not ours to bind, nor is the browsers' preload list.
    "security.W005",
    "security.W021",
    # Programs on people's own machines take their codes at http://127.0.0.1 (RFC 8252).
    "oauth2_provider.W008",
]
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = AHP_HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"
# Ten wrong passwords for one name from one address: fifteen minutes without a try. Counted in Redis, for all processes.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "login_later.html"
AXES_HTTP_RESPONSE_CODE = 429
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["oauth2_provider.contrib.rest_framework.OAuth2Authentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

LOGGING = logging_config(os.environ.get("AHP_LOG_LEVEL", "INFO").upper(), env_bool("AHP_LOG_JSON", True))
