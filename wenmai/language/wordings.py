"""Exact wordings in long texts: width, case, script, punctuation and blanks do not count."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tools.story.names import fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BORDER = "\ue000"  # between two texts: no wording goes over it
GAP = f"[^\\w{BORDER}]"
CODE_POINTS = 0x110000
Found = tuple[int, int, int]  # index of a text, half-open offsets in it


@dataclass(slots=True)
class FoldTable:
    """The folded character of each code point, by numbers: a million characters are folded in some milliseconds."""

    codes: "NDArray[np.uint32]"
    is_known: "NDArray[np.bool_]"

    def fold(self, text: str) -> str:
        """Return what `tools.story.names.fold` returns of a text, whatever its length."""
        import numpy as np

        given = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        for code in np.unique(given[~self.is_known[given]]).tolist():
            self.codes[code] = ord(fold(chr(code)))
            self.is_known[code] = True
        return self.codes[given].tobytes().decode("utf-32-le", "surrogatepass")


@cache
def fold_table() -> FoldTable:
    import numpy as np

    return FoldTable(np.arange(CODE_POINTS, dtype=np.uint32), np.zeros(CODE_POINTS, np.bool_))


def wording_pattern(wording: str) -> re.Pattern[str] | None:
    """Return what matches a wording in a folded text; None for one without a letter or digit.

    Between Chinese characters there may be signs and blanks, between words there are some.
    """
    words = re.findall(r"\w+", fold(wording))
    letters = [(char, at == 0) for word in words for at, char in enumerate(word)]
    if not letters:
        return None
    pattern = re.escape(letters[0][0])
    for (before, _), (char, begins) in pairwise(letters):
        is_latin = before.isascii() and char.isascii()
        pattern += (f"{GAP}+" if begins else "") if is_latin else f"{GAP}*"
        pattern += re.escape(char)
    return re.compile(pattern)


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as one, in which a wording is found."""

    texts: Sequence[str]
    begins: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "begins", [0, *accumulate(len(text) + len(BORDER) for text in self.texts)])

    def find(self, wording: str) -> Iterator[Found]:
        """Yield where a wording stands, in order and without overlap."""
        if (pattern := wording_pattern(wording)) is None:
            return
        for match in pattern.finditer(fold_table().fold(BORDER.join(self.texts))):
            at = bisect_right(self.begins, match.start()) - 1
            yield at, match.start() - self.begins[at], match.end() - self.begins[at]
