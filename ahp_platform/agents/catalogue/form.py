"""How does an operator write the row of an agent in the admin site?

Commands and variables are written as one writes them into a shell. Secrets go in and never come out: the form shows their names.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from ahp_platform.agents.catalogue import rules, words
from ahp_platform.agents.catalogue.rows import ROLES, Agent


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]
    """The columns of a row, and how people write those that are not plain text."""

    command_line = forms.CharField(
        label="Command", max_length=4_000, widget=UnfoldAdminTextInputWidget,
        help_text="The program and its arguments, such as: opencode acp. Quotes group words; nothing else of a shell works.",
    )  # fmt: skip
    variables = forms.CharField(
        label="Environment", required=False, widget=UnfoldAdminTextareaWidget, strip=False,
        help_text="One NAME=value on each line. Everybody who may open this page reads them.",
    )  # fmt: skip
    new_secrets = forms.CharField(
        label="Set secrets", required=False, widget=UnfoldAdminTextareaWidget, strip=False,
        help_text="One NAME=value on each line, for keys and passwords. Kept encrypted, given to the agent alone, never shown again.",
    )  # fmt: skip
    forget_secrets = forms.MultipleChoiceField(
        label="Forget secrets", required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="Those that are set.",
    )  # fmt: skip
    roles = forms.MultipleChoiceField(
        required=False, widget=UnfoldAdminCheckboxSelectMultipleWidget, choices=[(name, name) for name in ROLES],
        help_text="Who may start sessions and turns with it; none chosen: everybody who may act.",
    )  # fmt: skip

    class Meta:
        model = Agent
        exclude = ("command", "environment")  # noqa: DJ006  the others are written as they are

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["command_line"].initial = words.line(self.instance.command)
        self.fields["variables"].initial = words.lines(self.instance.environment)
        names = sorted(self.instance.secret_environment())
        self.fields["forget_secrets"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]

    def clean_command_line(self) -> list[str]:
        """The words of the line."""
        return _read(words.argv, self.cleaned_data["command_line"])  # type: ignore[no-any-return]

    def clean_variables(self) -> dict[str, str]:
        """The variables of the lines."""
        read: dict[str, str] = _read(words.variables, self.cleaned_data["variables"])
        rules.environment(read)
        return read

    def clean_new_secrets(self) -> dict[str, str]:
        """The secrets of the lines."""
        return _read(words.variables, self.cleaned_data["new_secrets"])  # type: ignore[no-any-return]

    def clean(self) -> dict[str, Any] | None:
        """Put what was written into the row, so that the row's own rules judge it."""
        given = super().clean() or self.cleaned_data
        self.instance.command = given.get("command_line", self.instance.command)
        self.instance.environment = given.get("variables", self.instance.environment)
        new, forgotten = given.get("new_secrets", {}), given.get("forget_secrets", ())
        if new or forgotten:
            kept = {n: value for n, value in self.instance.secret_environment().items() if n not in forgotten}
            self.instance.seal({**kept, **new})
        return given


def _read(reader: Any, text: str) -> Any:
    try:
        return reader(text)
    except words.Unreadable as error:
        raise ValidationError(str(error)) from None
