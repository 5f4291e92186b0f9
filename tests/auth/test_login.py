"""Can passwords be guessed, and is a production installation safe by its settings?"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.test import Client

from ahp_platform.local import PROJECT

TRIES = 10


ADDRESSES = (f"192.0.2.{number}" for number in itertools.count(1))


@pytest.fixture
def address() -> str:
    """An address from which nobody has tried yet."""
    return next(ADDRESSES)


@pytest.fixture
def bob(seeded: Any) -> Any:
    user = seeded.user("bob")
    user.set_password("bob's own")
    user.save()
    return user


def attempt(password: str, address: str, name: str = "bob", page: str = "/login/") -> Any:
    return Client(REMOTE_ADDR=address).post(page, {"username": name, "password": password})


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_after_ten_wrong_passwords_not_even_the_right_one_is_tried(bob: Any, address: str, page: str) -> None:
    for _ in range(TRIES - 1):
        assert attempt("wrong", address, page=page).status_code == 200
    attempt("wrong", address, page=page)
    later = attempt("bob's own", address, page=page)
    assert later.status_code == 429
    assert "_auth_user_id" not in later.client.session


def test_others_are_not_locked_out_by_it(bob: Any, address: str) -> None:
    for _ in range(TRIES + 1):
        attempt("wrong", address)
    assert attempt("bob's own", next(ADDRESSES)).status_code == 302
    assert attempt("wrong", address, name="alice").status_code == 200


def test_a_name_that_nobody_has_is_locked_out_like_any_other(bob: Any, address: str) -> None:
    answers = [attempt("wrong", address, name="nobody").status_code for _ in range(TRIES + 1)]
    assert answers[:9] == [200] * 9
    assert answers[-1] == 429


def test_a_success_forgets_the_failures(bob: Any, address: str) -> None:
    for _ in range(2):
        for _ in range(TRIES - 1):
            attempt("wrong", address)
        assert attempt("bob's own", address).status_code == 302


def test_django_finds_nothing_to_warn_of_with_production_settings() -> None:
    production = {
        "AHP_SECRET_KEY": "k" * 25 + "1234567890abcdefghijklmnopqrstuvwxyz",
        "AHP_HTTPS": "1",
        "AHP_DEBUG": "0",
        "AHP_DATABASE_ROLE": "app",
    }
    asked = {**os.environ, **production, "AHP_PUBLIC_URL": "https://ahp.example", "AHP_ALLOWED_HOSTS": "ahp.example"}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING", "--only-django"]
    done = subprocess.run(command, cwd=PROJECT, env=asked, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr


_ASKED = """
import json
from django.conf import settings as s
print(json.dumps([s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SESSION_COOKIE_HTTPONLY, s.SESSION_COOKIE_SAMESITE,
    s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS > 2_592_000, s.DEBUG]))
"""


def test_cookies_of_a_production_installation_travel_over_tls_alone() -> None:
    asked = {**os.environ, "AHP_SECRET_KEY": "k" * 60, "DJANGO_SETTINGS_MODULE": "ahp_platform.settings"}
    del asked["AHP_HTTPS"]
    done = subprocess.run([sys.executable, "-c", _ASKED], cwd=PROJECT, env=asked, capture_output=True, text=True)
    assert json.loads(done.stdout) == [True, True, True, "Lax", True, True, False], done.stderr


@pytest.mark.parametrize("path", ["/login/", "/o/authorize/", "/invitation/none", "/admin/login/", "/no-such-page"])
def test_every_page_says_what_it_may_load_and_that_nobody_frames_it(bob: Any, client: Client, path: str) -> None:
    page = client.get(path)
    said = dict(part.split(" ", 1) for part in page["Content-Security-Policy"].split("; "))
    assert said["default-src"] in ("'none'", "'self'")
    assert (said["frame-ancestors"], said["base-uri"]) == ("'none'", "'none'")
    loose = {name for name, sources in said.items() if "unsafe" in sources}
    assert loose == ({"script-src", "style-src"} if path.startswith("/admin/") else set())
    assert "http" not in page["Content-Security-Policy"]
    assert page["X-Content-Type-Options"] == "nosniff"
    assert page["X-Frame-Options"] == "DENY"
    assert page["Referrer-Policy"] == "same-origin"
    for cookie in page.cookies.values():
        assert cookie["samesite"] == "Lax"


def test_the_cookie_of_a_login_is_not_for_scripts(bob: Any, address: str) -> None:
    cookie = attempt("bob's own", address).cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
