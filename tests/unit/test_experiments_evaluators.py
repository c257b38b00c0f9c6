"""The measures of an experiment are pure functions of expectation and result."""

from typing import Any

import pytest

from wenmai.experiments import questions
from wenmai.experiments.questions import ExpectedTurn, Gold

QUOTE = "盖子上磕掉了一角，里面刻着四个小字"
NAMES = {"石敢": ("石敢", "石大斧"), "孟鸢": ("孟鸢", "小孟")}


def turn(**given: Any) -> ExpectedTurn:
    values: dict[str, Any] = {"id": "q1", "type": "fact", "question": "罗盘上刻着什么？"}
    return ExpectedTurn(**{**values, **given})


def piece(text: str, *, id: str = "p1", part: int | None = 1, chapter: int | None = 1) -> dict[str, Any]:
    return {"id": id, "text": text, "part": part, "chapter": chapter}


def record(**given: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "answer": "刻着雾散即归。",
        "resolved_question": "罗盘上刻着什么？",
        "evidence": [],
        "citations": [],
    }
    return values | given


def test_recall_ignores_blanks_and_nothing_else() -> None:
    gold = turn(gold=(Gold(QUOTE),))
    broken = f"他说：\n{QUOTE[:6]}\n　{QUOTE[6:]}。"
    assert questions.recall(gold, record(evidence=[piece(broken)]), {}) == 1.0
    assert questions.recall(gold, record(evidence=[piece(QUOTE.replace("，", "。"))]), {}) == 0.0


def test_recall_looks_at_ten_pieces() -> None:
    gold = turn(gold=(Gold(QUOTE),))
    others = [piece("别的", id=str(n)) for n in range(10)]
    assert questions.recall(gold, record(evidence=[*others[:9], piece(QUOTE)]), {}) == 1.0
    assert questions.recall(gold, record(evidence=[*others, piece(QUOTE)]), {}) == 0.0


def test_recall_is_met_by_any_gold_quote_and_silent_without_one() -> None:
    gold = turn(gold=(Gold("没有的话"), Gold(QUOTE)))
    assert questions.recall(gold, record(evidence=[piece(QUOTE)]), {}) == 1.0
    assert questions.recall(turn(), record(evidence=[piece(QUOTE)]), {}) is None


@pytest.mark.parametrize(
    ("citations", "expected"),
    [
        ([{"evidence": "p1", "quote": "一句别的"}], 1.0),
        ([{"evidence": "p2", "quote": QUOTE}], 1.0),
        ([{"evidence": "p2", "quote": "一句别的"}], 0.0),
        ([], 0.0),
    ],
)
def test_cited_takes_the_cited_passage_or_the_quote(citations: list[dict[str, Any]], expected: float) -> None:
    found = record(evidence=[piece(f"……{QUOTE}……"), piece("别的", id="p2")], citations=citations)
    assert questions.cited(turn(gold=(Gold(QUOTE),)), found, {}) == expected


def test_words_need_one_word_of_every_group() -> None:
    asked = turn(expect=(("四十六", "46"), ("Fog",)))
    assert questions.words(asked, record(answer="46人，in the fog"), {}) == 1.0
    assert questions.words(asked, record(answer="四十六人"), {}) == 0.0
    assert questions.words(turn(), record(), {}) is None


def test_chapters_is_the_share_of_gold_chapters_of_a_history() -> None:
    gold = (Gold("甲", 1, 1), Gold("乙", 1, 2), Gold("丙", 3, 1))
    asked = turn(type="growth", gold=gold)
    found = record(evidence=[piece("x"), piece("y", part=1, chapter=3)])
    assert questions.chapters(asked, found, {}) == pytest.approx(2 / 3)
    assert questions.chapters(turn(gold=gold), found, {}) is None


def test_chapters_without_parts_are_compared_by_number() -> None:
    asked = turn(type="history", gold=(Gold("甲", 7), Gold("乙", 8)))
    assert questions.chapters(asked, record(evidence=[piece("x", part=1, chapter=8)]), {}) == 0.5


def test_refusals() -> None:
    refusal = record(answer="书里没有写。", status="not_found")
    assert questions.refused(turn(answerable=False), refusal, {}) == 1.0
    assert questions.refused(turn(answerable=False), record(), {}) == 0.0
    assert questions.refused(turn(), refusal, {}) is None
    assert questions.wrongly_refused(turn(), refusal, {}) == 1.0
    assert questions.wrongly_refused(turn(), record(), {}) == 0.0


def test_resolved_accepts_canonical_names_and_aliases_but_needs_all() -> None:
    asked = turn(self_contained=False, names=("石敢", "孟鸢"))
    assert questions.resolved(asked, record(resolved_question="石大斧答应给孟鸢钉什么？"), NAMES) == 1.0
    assert questions.resolved(asked, record(resolved_question="石敢答应给她钉什么？"), NAMES) == 0.0
    assert questions.resolved(turn(self_contained=True, names=("石敢",)), record(), NAMES) is None


def test_unchanged_is_character_for_character() -> None:
    asked = turn(self_contained=True)
    assert questions.unchanged(asked, record(), {}) == 1.0
    assert questions.unchanged(asked, record(resolved_question="罗盘上刻着什么?"), {}) == 0.0
    assert questions.unchanged(turn(self_contained=False), record(), {}) is None
