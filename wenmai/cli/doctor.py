"""`wenmai doctor`: is everything in place, and if not, what to do."""

import asyncio
import sys

import typer


def doctor() -> None:
    """Check Python, engines, embedder, folders, libraries and settings; exit 1 if something is wrong."""
    from wenmai.cli.checks import check_all
    from wenmai.cli.terminal import Line, out, say

    marks = {True: ("✓", "green"), None: ("!", "yellow"), False: ("✗", "red")}
    checks = asyncio.run(check_all(sys.version_info))
    for check in checks:
        mark, style = marks[check.ok]
        say(out(), Line(f"{mark} {check.name}：{check.text}", style))
    if any(check.ok is False for check in checks):
        raise typer.Exit(1)
