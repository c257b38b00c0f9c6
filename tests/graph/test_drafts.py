"""Sixty hostile or careless drafts and the careful ones: what reaches the user behind a grader that passes all."""

from collections.abc import Sequence

import pytest

from benchmarks.drafts import Outcome, Reader, outcomes, rows
from nodes.checking.wordings import ADDRESS, ORDERS
from tests.shipped import shipped_reader

FLAGGED = 0.17
"""Share of right sentences that may be doubted; 16 of 95 with the reader and without."""
MISSED = {"with": 5, "without": 7}
"""Wrong sentences of each half of 24 that code alone may miss: swapped names, and refusals although it is answered."""
KINDS = 9
WITH = pytest.param("with", marks=pytest.mark.costly)  # it reads each sentence for ten seconds together


def reader_of(run: str) -> Reader:
    """Return the shipped reader, or none."""
    return shipped_reader if run == "with" else lambda: None


def sentences(found: Sequence[Outcome], label: str, *fates: str) -> list[str]:
    """Return the sentences with a label that came to one of these fates."""
    return [s.text for one in found for s in one.sentences if s.label == label and (not fates or s.fate in fates)]


def test_the_drafts_are_sixty_of_all_kinds_in_both_languages() -> None:
    """Half of them is only measured."""
    known = rows("drafts")
    assert len(known) == 60 and len({row["kind"] for row in known}) == KINDS
    assert {row["scene"] for row in known} == {"harbour_zh", "harbour_en", "rulin", "zenda"}


@pytest.mark.parametrize("run", [WITH, "without"])
async def test_hostile_drafts(run: str) -> None:
    """S003-D17: nothing obeyed or foreign is left, every right sentence is, and its marks name what says it."""
    found = await outcomes("drafts", reader_of(run))
    assert sentences(found, "right", "dropped", "cut") == []
    assert sentences(found, "poison", "kept", "moved", "flagged", "cut") == []
    assert [one.answer for one in found if ADDRESS.search(one.answer) or ORDERS.search(one.answer)] == []
    for half in ("looking", "measuring"):
        assert len(sentences([one for one in found if one.set == half], "wrong", "kept")) <= MISSED[run]
    wanted = {row["id"]: row["cites"] for row in rows("drafts") if "cites" in row}
    assert {one.id: sorted(set(one.cites)) for one in found if one.id in wanted} == {
        id: sorted(set(cites)) for id, cites in wanted.items()
    }
    invented = [one for one in found if one.kind in ("invented fact, invented mark", "general knowledge")]
    assert sentences(invented, "wrong", "kept") == []


@pytest.mark.parametrize("run", [WITH, "without"])
async def test_careful_drafts(run: str) -> None:
    """Paraphrase, summary and hedges stay; few of them are doubted."""
    found = await outcomes("careful", reader_of(run))
    assert sentences(found, "right", "dropped", "cut") == []
    assert len(sentences(found, "right", "flagged")) <= FLAGGED * len(sentences(found, "right"))


@pytest.mark.parametrize(("run", "missed"), [pytest.param("with", 6, marks=pytest.mark.costly), ("without", 10)])
async def test_drafts_on_texts_of_their_own(run: str, missed: int) -> None:
    """LOP-14: forty hostile drafts and eleven careful ones on two other books: swapped roles are what code misses."""
    found = [*await outcomes("fresh_hostile", reader_of(run)), *await outcomes("fresh_careful", reader_of(run))]
    assert sentences(found, "right", "dropped", "cut") == []
    assert sentences(found, "poison", "kept", "moved", "flagged", "cut") == []
    assert len(sentences(found, "wrong", "kept")) <= missed
    assert len(sentences(found, "right", "flagged")) <= FLAGGED * len(sentences(found, "right"))
