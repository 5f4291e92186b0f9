"""Which addresses lead to the workbench?"""

from __future__ import annotations

from django.urls import path

from ahp_platform.page import views

urlpatterns = [
    path("", views.workbench, name="workbench"),
    path("login/", views.login, name="login"),
    path("logout/", views.logout, name="logout"),
]
