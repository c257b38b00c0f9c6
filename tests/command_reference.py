"""`python -m tests.command_reference`: docs/reference/commands.md, from the commands' own help."""

from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tools.messages import speaking
from wenmai.cli.app import HelpContext, app

PAGE = Path("docs/reference/commands.md")
HEAD = """# Commands

Written by `python -m tests.command_reference` from the commands' own help; nothing is typed by hand.
Exit codes: 0 done, 1 failure, 2 usage, 130 interrupted. Errors are one line on stderr that says what to do.
"""
WIDTH = 100  # columns


def reference() -> str:
    """Return the page, as Markdown."""
    with speaking("en"):
        return HEAD + "".join(sections(HelpContext(get_command(app), info_name="wenmai")))


def sections(context: typer.Context) -> Iterator[str]:
    if isinstance(context.command, TyperGroup):
        for name, child in context.command.commands.items():
            yield from sections(HelpContext(child, info_name=name, parent=context))
        return
    context.terminal_width = context.max_content_width = WIDTH
    yield f"\n## {context.command_path}\n\n```text\n{context.get_help().strip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
