"""The command line. Nothing heavy is imported before a command runs: every command imports what it needs itself."""

from wenmai.cli.entry import main

__all__ = ["main"]
