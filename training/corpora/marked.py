"""Names in pieces of classical novels: the forms listed for each piece, and where they are no names."""

import re
from collections.abc import Iterator
from pathlib import Path

from training.corpora.rows import chapters
from training.corpora.written import KINDS
from training.examples import Names

HEAD = ("BOOK", "chapter index", "start", "end")
NOT = "not"
_SEPARATOR = re.compile(r"[、,，]\s*")


def names(path: Path, novels: Path) -> Iterator[Names]:
    """Return the pieces of a file of lists.

    Args:
        path: blocks of `=== BOOK | chapter index | start | end`, then `p:`, `l:`, `o:` with forms, `not:` with context.
        novels: folder of the novels.
    """
    for block in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = block.strip().split("\n")
        try:
            yield marked(_piece(head, novels), lines)
        except ValueError as error:
            raise ValueError(f"{path.name}: {head!r}: {error}") from error


def _piece(head: str, novels: Path) -> str:
    """Return the piece of a novel that the head of a block names. Raises ValueError."""
    parts = [part.strip() for part in head.split("|")]
    if len(parts) != len(HEAD) or not all(part.isdecimal() for part in parts[1:]):
        raise ValueError(f"a block begins with === {' | '.join(HEAD)}, the last three numbers")
    chapter, start, end = (int(part) for part in parts[1:])
    text = next((row["text"] for row in chapters(novels / f"{parts[0]}.json") if row["n"] == chapter), "")
    if not text[start:end]:
        raise ValueError("the novel has no such piece")
    return text[start:end]


def marked(text: str, lines: list[str]) -> Names:
    """Return a text with every listed form marked, the longest first, but where the list says that it is no name.

    Raises ValueError for a line with another label than those of names and `not`.
    """
    rows = [(key.strip(), listed) for key, _, listed in (line.partition(":") for line in lines if line.strip())]
    if unknown := {key for key, _ in rows} - {*KINDS, NOT}:
        raise ValueError(f"a line begins with one of {[*KINDS, NOT]} and a colon, not with {sorted(unknown)}")
    forms = {form.strip(): KINDS[key] for key, listed in rows if key in KINDS for form in _SEPARATOR.split(listed)}
    forms.pop("", None)
    barred = [match.span() for key, part in rows if key == NOT for match in re.finditer(re.escape(part.strip()), text)]
    if not forms:
        return Names(text, [])
    pattern = re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))
    found = [(match.start(), match.end(), forms[match.group()]) for match in pattern.finditer(text)]
    return Names(text, [row for row in found if not any(low <= row[0] and row[1] <= high for low, high in barred)])
