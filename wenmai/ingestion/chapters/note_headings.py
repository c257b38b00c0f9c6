"""Headings of notes: which of them head all that follows, and which label a note within a chapter."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tools.wording import Words
from wenmai.ingestion.chapters.forms import Candidate
from wenmai.ingestion.chapters.lines import Line, text_before
from wenmai.ingestion.chapters.notes import is_end_mark

PROSE = Words("像正文", "reads like prose")
LONGEST_HEADED = 3000
"""Characters under the heading of an author's note between two chapters; more are story."""
NOTICE, LABEL = "notice", "label"
"""Names of forms."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that looks like a heading and is none."""

    candidate: Candidate
    reason: str


def without_inner_notes(kept: Sequence[Candidate], lines: Sequence[Line]) -> tuple[list[Candidate], list[Refused]]:
    """Keep the headings of notes that are short; 公告 counts before the story and behind a chapter's end alone.

    The label of a note that ends at its paragraph is no heading within the story, nor is one right under a chapter's.
    """
    found: list[Candidate] = []
    lost: list[Refused] = []
    has_begun = False
    for one, after in zip_longest(kept, kept[1:]):
        if one.level == "note" and has_begun and (one.form.name == LABEL or _is_right_under(found[-1], one, lines)):
            continue
        if one.level == "note" and has_begun and not _is_note(one, after, lines):
            lost.append(Refused(one, PROSE.say()))
            continue
        has_begun |= one.level in ("chapter", "opening")
        found.append(one)
    return found, lost


def _is_right_under(above: Candidate, one: Candidate, lines: Sequence[Line]) -> bool:
    """Return True if nothing stands between a chapter's heading and this one."""
    return above.level == "chapter" and not any(line.plain for line in lines[above.at + 1 : one.at])


def _is_note(one: Candidate, after: Candidate | None, lines: Sequence[Line]) -> bool:
    body = lines[one.at : after.at if after else len(lines)]
    before = text_before(lines, one.at)
    is_short = sum(len(line.plain) for line in body) <= LONGEST_HEADED
    return is_short and (one.form.name != NOTICE or is_end_mark(before))
