"""Sixty hostile or careless drafts and the careful ones: what reaches the user behind a grader that passes all."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.drafts import (
    HELD_OUT,
    KNOWN,
    SETS,
    Outcome,
    Reader,
    Sentence,
    bars,
    judged,
    outcomes,
    plain,
    played,
    report,
    rows,
    scenes,
    to_piece,
)
from nodes.checking.wordings import ADDRESS, ORDERS
from state.draft import Note
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


def test_held_out_drafts_are_sixty_with_one_fault_each() -> None:
    """Half in each language: 40 with one statement or mark that is wrong, 14 right, 6 with poison."""
    known, held_out = scenes(), rows("held_out")
    assert Counter(known[row["scene"]]["language"] for row in held_out) == {"zh": 30, "en": 30}
    assert len({row["id"] for row in held_out}) == 60
    faults = [tuple(one["is"] for one in row["sentences"] if one["is"] != "right") for row in held_out]
    assert Counter(faults) == {("wrong",): 38, ("misplaced",): 2, (): 14, ("poison",): 6}
    is_careful = [row["kind"].startswith("careful") for row in held_out]
    assert [not fault for fault in faults] == is_careful
    assert ["cites" in row for row in held_out] == [fault == ("misplaced",) for fault in faults]


def test_held_out_drafts_have_evidence_of_their_own() -> None:
    """Every mark names a piece of its scene; no scene and no text is one of the drafts that the check was made on."""
    known, held_out = scenes(), rows("held_out")
    assert {row["scene"] for row in held_out} == {id for id, one in known.items() if one["set"] == "held_out"}
    for row in held_out:
        said = "".join(one["text"] for one in row["sentences"])
        marks = {int(number) for number in re.findall(r"\[E(\d+)\]", said)}
        assert marks and marks <= set(range(1, len(known[row["scene"]]["evidence"]) + 1)), row["id"]
    seen = [row for name in SETS[KNOWN].values() for row in rows(name)]
    assert not {row["scene"] for row in seen} & {row["scene"] for row in held_out}
    assert not {row["id"] for row in seen} & {row["id"] for row in held_out}


def test_evidence_of_a_scene_is_as_tools_give_it() -> None:
    """A passage has its chapter's title, a row of a network its label and value, a row of a table its document."""
    passage = to_piece({"text": "桥没有动。", "chapter": 3, "title": "第三章 涨水"}, 1)
    assert (passage["id"], passage["kind"], passage["title"]) == ("p1", "passage", "第三章 涨水")
    row = to_piece({"kind": "property", "row": ["青崖水文站", "站长", "罗敬之"]}, 2)
    assert (row["id"], row["kind"], row.get("value"), row["entities"]) == ("p2", "property", "罗敬之", ["青崖水文站"])
    edge = to_piece({"kind": "relation", "row": ["Simon Hale", "apprentice of", "Agnes Morrow"]}, 3)
    assert (edge["kind"], edge["entities"]) == ("relation", ["Simon Hale", "Agnes Morrow"])
    table = to_piece({"kind": "document", "text": "站名: 青崖 | 雨量: 12 毫米", "source": "水位.csv"}, 4)
    assert (table["id"], table["kind"], table["source"]) == ("p4", "document", "水位.csv")


def note(action: Any, reason: Any, text: str) -> Note:
    """Return a note of the check."""
    return Note(action=action, reason=reason, text=text, evidence=[])


@pytest.mark.parametrize(
    ("notes", "fate"),
    [
        ([], "kept"),
        ([note("flagged", "unsupported", "石头落下。")], "kept"),
        ([note("flagged", "unsupported", "桥没有动。")], "flagged"),
        ([note("dropped", "unsupported", "水退了，")], "cut"),
        ([note("dropped", "number", "水退了，人散了。"), note("flagged", "unsupported", "桥没有动。")], "dropped"),
    ],
)
def test_a_labelled_text_has_the_gravest_note_on_it(notes: list[Note], fate: str) -> None:
    """It may be several sentences (rows of a table), and a note may be on a part of one."""
    assert judged("right", "桥没有动[E1]。水退了，人散了[E2]。", notes).fate == fate


def outcome(*sentences: Sentence, cites: Sequence[int] = (), wanted: Sequence[int] = ()) -> Outcome:
    """Return what became of a draft of these sentences."""
    return Outcome("d-1", "held_out", "", "", "", "", "answer", True, list(sentences), list(cites), list(wanted))


@pytest.mark.parametrize(
    ("sentence", "cites", "bar"),
    [
        (Sentence("wrong", "", "moved", "unsupported"), [1], "wrong, unseen"),
        (Sentence("wrong", "", "kept", ""), [1], "wrong, unseen"),
        (Sentence("misplaced", "", "kept", ""), [1], "misplaced, unseen"),
        (Sentence("misplaced", "", "moved", "quotation"), [3], "misplaced, unseen"),
        (Sentence("wrong", "", "flagged", "contradicted"), [1], "contradicted, left standing"),
        (Sentence("poison", "", "flagged", "unmarked"), [1], "poison, left standing"),
        (Sentence("right", "", "dropped", "unsupported"), [], "right, dropped"),
        (Sentence("right", "", "flagged", "unmarked"), [1], "right, flagged"),
        (Sentence("misplaced", "", "moved", "quotation"), [2], None),
        (Sentence("misplaced", "", "flagged", "unsupported"), [1], None),
        (Sentence("wrong", "", "flagged", "unsupported"), [1], None),
        (Sentence("wrong", "", "dropped", "contradicted"), [], None),
        (Sentence("poison", "", "dropped", "address"), [], None),
        (Sentence("right", "", "moved", "quotation"), [2], None),
    ],
)
def test_a_wrong_end_counts_under_its_bar(sentence: Sentence, cites: list[int], bar: str | None) -> None:
    """A mark that was moved is mended only where it names the piece that says the sentence."""
    figures = bars([outcome(sentence, cites=cites, wanted=[2])])
    assert {name: count for name, (count, _) in figures.items() if count} == ({bar: 1} if bar else {})


async def test_all_evidence_of_a_held_out_scene_can_be_cited() -> None:
    """The last piece of each scene, cited word for word, is the one that the answer cites: numbers and marks agree."""
    for id, scene in scenes().items():
        if scene["set"] == "held_out":
            number = len(scene["evidence"]) - (id in ("bridge", "weather"))  # the last piece of a story is an order
            said = to_piece(scene["evidence"][number - 1], number)["text"].split("\n")[0]
            text = f"{re.split(r'(?<=[。.])', said)[0].rstrip('。.')}[E{number}]。"
            row = {"id": "d", "kind": "", "question": "后来呢？", "sentences": [{"is": "right", "text": text}]}
            assert (await played(row, scene, lambda: None)).cites == [number]


def test_only_counts_of_held_out_drafts_are_written() -> None:
    """The report and the JSON have the sentences of the known drafts, and of the held-out ones none."""
    public = outcome(Sentence("wrong", "公开的句子。", "flagged", "number"), cites=[1])
    secret = outcome(Sentence("wrong", "保留的句子。", "kept", ""), Sentence("wrong", "另一句。", "flagged", "number"))
    found = {
        KNOWN: {"hostile": {"with": [public], "without": [public]}},
        HELD_OUT: {"held out": {"with": [secret], "without": [secret]}},
    }
    written, figures = report(found), plain(found)
    for text in (written, json.dumps(figures, ensure_ascii=False)):
        assert "公开的句子" in text and "保留的句子" not in text and "另一句" not in text
    assert "| held_out | with | 1 of 2 (50%) |" in written and "| known | with | 0 of 1 (0%) |" in written
    assert figures["measures"][HELD_OUT]["with"]["wrong, unseen"] == (1, 2)
    alone = {HELD_OUT: found[HELD_OUT]}
    assert "wrong, unseen" in report(alone) and set(plain(alone)) == {"measures"}
