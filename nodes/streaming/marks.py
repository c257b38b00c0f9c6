"""The marks of a draft as it grows: numbered as in the answer, never half of one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.checking.statements import sentences_of
from nodes.results.citations import as_draft, cite
from state.schema import Evidence

BRACKETS = re.compile(r"[\[［【(（\]］】)）]")
OPEN_MARK = re.compile(r"[\[［【(（][\sEContext\d,，、;；~～–-]*\Z", re.IGNORECASE)
"""A bracket at the end of a text that may become a mark."""


@dataclass(slots=True)
class GrowingText:
    """A model's text that comes in pieces.

    Attributes:
        evidence: what its marks name.
        raw: the text so far.
        read: how much of it is shown.
        shown: what is shown, with marks as in the answer.
    """

    evidence: Sequence[Evidence]
    raw: str = ""
    read: int = 0
    shown: str = ""

    def take(self, piece: str) -> str:
        """Add a piece; return what can be shown now."""
        self.raw += piece
        return self._until(len(settled(self.raw)))

    def end(self) -> str:
        """Return what was held back."""
        return self._until(len(self.raw.rstrip()))

    def _until(self, end: int) -> str:
        added = self.raw[self.read : end]
        if not added:
            return ""
        if BRACKETS.search(added):
            sentences = sentences_of(as_draft(self.raw[:end], self.evidence), self.evidence)
            text = cite(sentences, self.evidence, lambda _: "")[0]
            added = text[len(self.shown) :]
        elif not self.shown:
            added = added.lstrip()
        self.read, self.shown = end, self.shown + added
        return added


def settled(text: str) -> str:
    """Return the beginning of a text that nothing behind it changes: without blanks and an open bracket at its end."""
    return OPEN_MARK.sub("", text.rstrip()).rstrip()
