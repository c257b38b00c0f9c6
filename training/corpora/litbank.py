"""LitBank: names in English fiction, and the questions that were written on its pieces."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from training.examples import Names
from wenmai.language.spans import Span
from wenmai.reader.layout import NameKind

KINDS = {
    "PER": NameKind.PERSON,
    "GPE": NameKind.PLACE,
    "LOC": NameKind.PLACE,
    "FAC": NameKind.PLACE,
    "ORG": NameKind.ORGANISATION,
    "VEH": None,
}
LONGEST_NAME = 6
"""Tokens; longer phrases carry clauses, and count for nothing."""
NO_BLANK_BEFORE_WORDS = ". , ; : ! ? ) ] % 's n't 'll 're 've 'd 'm ’s n’t ’ll ’re ’ve ’d ’m ’ ” '' --"
NO_BLANK_BEFORE = frozenset(NO_BLANK_BEFORE_WORDS.split())
NO_BLANK_AFTER_WORDS = "( [ “ ‘ `` $ --"
NO_BLANK_AFTER = frozenset(NO_BLANK_AFTER_WORDS.split())


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a novel as it is printed, with the offsets of its tokens, and what led to them.

    Attributes:
        text: as printed.
        spans: offsets of each token in it, sentence by sentence.
        origins: offset of each token in the tokenised file, flat.
    """

    text: str
    spans: list[list[Span]]
    origins: list[int]

    def printed(self, start: int, end: int) -> Span:
        """Return where a part of the tokenised file stands in the text."""
        flat = [span for sentence in self.spans for span in sentence]
        inside = [at for at, origin in enumerate(self.origins) if start <= origin < end]
        return flat[inside[0]][0], flat[inside[-1]][1]


def read(path: Path) -> Piece:
    """Read a tokenised file and print it as a book does."""
    parts: list[str] = []
    spans, origins, length, origin = [], [], 0, 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        sentence: list[Span] = []
        last, quoted = "", False
        for token in line.split(" "):
            shown = {"``": "“", "''": "”"}.get(token, token)
            closing = token == '"' and quoted
            glued = not sentence or token in NO_BLANK_BEFORE or last in NO_BLANK_AFTER or closing or last == 'open"'
            blank = "" if glued else " "
            last = 'open"' if token == '"' and not quoted else token
            quoted ^= token == '"'
            parts.append(blank + shown)
            sentence.append((length + len(blank), length + len(blank) + len(shown)))
            length += len(blank) + len(shown)
            origins.append(origin)
            origin += len(token) + 1
        spans.append(sentence)
        parts.append("\n")
        length += 1
    return Piece("".join(parts), spans, origins)


def names(path: Path) -> Names:
    """Return the proper names of a piece; `path` is its text, the annotation lies beside it."""
    piece = read(path)
    found: list[tuple[int, int, int | None]] = []
    taken: set[int] = set()
    for kind, tokens in sorted(_proper(path.with_suffix(".ann"), piece), key=lambda row: -len(row[1])):
        span = (tokens[0][0], tokens[-1][1])
        if taken.isdisjoint(range(*span)):
            taken.update(range(*span))
            found.append((*span, KINDS[kind] if len(tokens) <= LONGEST_NAME else None))
    return Names(piece.text, sorted(found, key=lambda row: row[0]))


def _proper(path: Path, piece: Piece) -> Iterator[tuple[str, list[Span]]]:
    """Return kind and tokens of the names, without a clause behind a comma and small words before."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = line.split("\t")
        if row[0] != "MENTION" or row[8] != "PROP" or row[2] != row[4]:
            continue
        tokens = piece.spans[int(row[2])][int(row[3]) : int(row[5]) + 1]
        shown = [piece.text[slice(*token)] for token in tokens]
        cut = shown.index(",") if "," in shown else len(shown)
        first = next((at for at, word in enumerate(shown) if word[:1].isupper()), cut)
        if tokens[first:cut]:
            yield row[7], tokens[first:cut]
