"""The table of commands says what the commands themselves say."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest
import typer
from typer.main import get_command

import tools.errors
import wenmai
from state.context import Context, ContextFields
from wenmai.cli.app import COMMANDS, app


@pytest.fixture(scope="module")
def commands() -> Mapping[str, Any]:
    """The commands by name."""
    found: Mapping[str, Any] = get_command(app).commands  # type: ignore[attr-defined]  # it is a group
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_summary_is_the_first_sentence_of_the_help(commands: Mapping[str, Any], name: str) -> None:
    command = commands[name]
    assert command.name == name
    assert COMMANDS[name].endswith(".") and command.help.startswith(COMMANDS[name])


def test_a_mistyped_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    from wenmai.cli.app import run

    assert run(["librari"]) == 2
    assert "'libraries'" in capsys.readouterr().err


def test_an_unknown_command_has_no_entry(commands: Mapping[str, Any]) -> None:
    assert commands.get("answer") is None and len(commands) == len(COMMANDS)


def test_commands_within_a_command_are_found(commands: Mapping[str, Any]) -> None:
    inner = commands["memory"].list_commands(typer.Context(commands["memory"]))
    assert inner == ["add", "list", "show", "search", "import", "export", "forget"]


def test_the_package_exports_every_error() -> None:
    """`except wenmai.StoreLocked` needs no second import."""
    errors = [name for name, one in vars(tools.errors).items() if isinstance(one, type)]
    assert {name: getattr(wenmai, name) for name in errors} == {name: getattr(tools.errors, name) for name in errors}
    assert set(errors) <= set(wenmai.__all__)
    assert all(getattr(wenmai, name) is not None for name in wenmai.__all__)


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        wenmai.nothing  # noqa: B018


def test_the_keywords_of_a_question_are_the_fields_of_its_context() -> None:
    """Editors and type checkers know each of them, and no other."""
    assert set(ContextFields.__annotations__) == {field.name for field in fields(Context)}
