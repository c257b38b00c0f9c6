"""Names in pieces of classical novels: the forms listed for each piece, and where they are no names."""

import re
from collections.abc import Iterator
from pathlib import Path

from training.corpora.rows import chapters
from training.corpora.written import KINDS
from training.examples import Names

_SEPARATOR = re.compile(r"[、,，]\s*")


def names(path: Path, novels: Path) -> Iterator[Names]:
    """Return the pieces of a file of lists.

    Args:
        path: blocks of `=== BOOK | chapter index | start | end`, then `p:`, `l:`, `o:` with forms, `not:` with context.
        novels: folder of the novels.
    """
    for block in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = block.strip().split("\n")
        book, chapter, start, end = (part.strip() for part in head.split("|"))
        text = next(row["text"] for row in chapters(novels / f"{book}.json") if row["n"] == int(chapter))
        yield marked(text[int(start) : int(end)], lines)


def marked(text: str, lines: list[str]) -> Names:
    """Return a text with every listed form marked, the longest first, but where the list says that it is no name."""
    rows = [line.partition(":") for line in lines if ":" in line]
    forms = {
        form.strip(): KINDS[key.strip()]
        for key, _, listed in rows
        if key.strip() in KINDS
        for form in _SEPARATOR.split(listed)
    }
    forms.pop("", None)
    barred = [
        match.span()
        for key, _, part in rows
        if key.strip() == "not"
        for match in re.finditer(re.escape(part.strip()), text)
    ]
    if not forms:
        return Names(text, [])
    pattern = re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))
    found = [(match.start(), match.end(), forms[match.group()]) for match in pattern.finditer(text)]
    return Names(text, [row for row in found if not any(low <= row[0] and row[1] <= high for low, high in barred)])
