"""What does an ASGI server run? HTTP goes to Django, sockets to the host; the lifespan starts and stops the process's
background work.
"""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ahp_platform.settings")
http = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402 - Django must be set up first
from django.urls import path  # noqa: E402

from ahp_platform.connection.consumer import AhpConsumer  # noqa: E402
from ahp_platform.lifespan import Lifespan  # noqa: E402
from ahp_platform.wiring import service  # noqa: E402

sockets = URLRouter([path("ahp/<slug:tenant>", AhpConsumer.as_asgi(service=service()))])

application = Lifespan(ProtocolTypeRouter({"http": http, "websocket": sockets}))
