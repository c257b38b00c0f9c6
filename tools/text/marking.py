"""Rows of a result that say which piece of evidence they show; whoever shows them to a reader numbers them.

The signs around a row are private characters, which no text that is shown may hold.
"""

import re
from collections.abc import Callable

BEGIN, NAMED, END = "\ue100", "\ue101", "\ue102"
SIGNS = re.compile(f"[{BEGIN}{NAMED}{END}]")
ROW = re.compile(f"{BEGIN}([^{NAMED}{END}]*)(?:{NAMED}([^{END}]*)(?:{END}|$)|$)")


def marked(id: str, text: str) -> str:
    """Return a row that shows a piece of evidence; without an id it is the text alone."""
    told = SIGNS.sub("", text)
    return f"{BEGIN}{id}{NAMED}{told}{END}" if id else told


def unmarked(text: str) -> str:
    return with_rows(text, lambda _, row: row)


def with_rows(text: str, shown: Callable[[str, str], str]) -> str:
    """Return a text with each row replaced by what `shown` makes of its id and its words."""
    return SIGNS.sub("", ROW.sub(lambda row: shown(row[1], row[2] or ""), text)) if BEGIN in text else text
