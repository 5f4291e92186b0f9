"""Can passwords be guessed, and is a production installation safe by its settings?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from ahp_platform.local import PROJECT

TRIES = 10


@pytest.fixture(autouse=True)
def nothing_counted() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def bob(seeded: Any) -> Any:
    user = seeded.user("bob")
    user.set_password("bob's own")
    user.save()
    return user


def attempt(password: str, address: str = "192.0.2.7", name: str = "bob", page: str = "/login/") -> Any:
    return Client(REMOTE_ADDR=address).post(page, {"username": name, "password": password})


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_after_ten_wrong_passwords_not_even_the_right_one_is_tried(bob: Any, page: str) -> None:
    for _ in range(TRIES - 1):
        assert attempt("wrong", page=page).status_code == 200
    attempt("wrong", page=page)
    later = attempt("bob's own", page=page)
    assert later.status_code == 429
    assert "_auth_user_id" not in later.client.session


def test_others_are_not_locked_out_by_it(bob: Any) -> None:
    for _ in range(TRIES + 1):
        attempt("wrong")
    assert attempt("bob's own", address="198.51.100.1").status_code == 302
    assert attempt("wrong", name="alice").status_code == 200


def test_a_name_that_nobody_has_is_locked_out_like_any_other(bob: Any) -> None:
    answers = [attempt("wrong", name="nobody").status_code for _ in range(TRIES + 1)]
    assert answers[:9] == [200] * 9
    assert answers[-1] == 429


def test_a_success_forgets_the_failures(bob: Any) -> None:
    for _ in range(2):
        for _ in range(TRIES - 1):
            attempt("wrong")
        assert attempt("bob's own").status_code == 302


def test_django_finds_nothing_to_warn_of_with_production_settings() -> None:
    production = {
        "AHP_SECRET_KEY": "k" * 25 + "1234567890abcdefghijklmnopqrstuvwxyz",
        "AHP_HTTPS": "1",
        "AHP_DEBUG": "0",
    }
    asked = {**os.environ, **production, "AHP_PUBLIC_URL": "https://ahp.example", "AHP_ALLOWED_HOSTS": "ahp.example"}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING", "--only-django"]
    done = subprocess.run(command, cwd=PROJECT, env=asked, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
