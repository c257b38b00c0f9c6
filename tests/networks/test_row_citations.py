"""A model's claim with the mark of a network's row: what the row does not say is moved or flagged (issue 43, 12)."""

from typing import Any

import pytest

from tests.gemini.parts import text
from tests.gemini.space import Gemini
from tests.graph.talk import grade
from tests.networks.test_gemini import NETWORKS, QUESTION, SCHEMA, STOP, NetworkTalk, keyword
from tests.shipped import shipped_reader

NUMBER = "上、下气道梗阻 — 疾病编号: disease_004790"


async def told(gemini: Gemini, draft: str, **context: Any) -> tuple[list[str], list[tuple[str, str]], dict[str, Any]]:
    """Return what the answer to the specification's question cites, what the check found, and the record."""
    talk = NetworkTalk(gemini, reader=shipped_reader)
    talk.agent(SCHEMA, keyword("上气道梗阻"), STOP, text(draft))
    talk.grader(grade())
    record = await talk.ask(QUESTION, **NETWORKS, **context)
    await talk.provider.close()
    return [one["quote"] for one in record["citations"]], [(n["action"], n["reason"]) for n in record["notes"]], record


async def test_a_symptom_with_the_number_of_the_disease(gemini: Gemini) -> None:
    """LOP-14: the first row is the disease's number; the marks go to the rows that tell the symptoms."""
    cited, found, _ = await told(gemini, "上、下气道梗阻的症状有呼吸困难、咳嗽[E1]。")
    assert found == [("moved", "unsupported")]
    assert sorted(cited) == ["上、下气道梗阻 — 疾病症状: 呼吸困难", "上、下气道梗阻 — 疾病症状: 咳嗽"]


@pytest.mark.parametrize(
    "draft", ["上、下气道梗阻会引起发热[E10]。", "患者常常发高烧[E1]。", "上气道梗阻的症状是发热[E1]。"]
)
async def test_what_no_row_says_is_flagged(gemini: Gemini, draft: str) -> None:
    """LOP-14: neither the row that is marked nor another one says it."""
    _, found, _ = await told(gemini, draft)
    assert found == [("flagged", "unsupported")]


async def test_without_a_model_a_flagged_claim_is_no_fact_of_the_network(gemini: Gemini) -> None:
    """LOP-09 LOP-14: a mark on a row is worth no more than the claim that the row supports."""
    cited, found, record = await told(gemini, "患者常常发高烧[E1]。", grade="never", max_attempts=1)
    assert cited == [NUMBER] and found == [("flagged", "unsupported")]
    assert record["passed"] is False


@pytest.mark.parametrize(
    "draft",
    [
        "有呼吸困难[E10]、咳嗽等表现。",
        "上气道梗阻的疗程是一周[E1]。",
        "这种病没有传染性[E1]。",
        "医保可以报销[E1]。",
        "治疗要清除异物，必要时切开气管并吸氧[E1]。",
    ],
)
async def test_a_row_that_says_it_stays(gemini: Gemini, draft: str) -> None:
    """LOP-14: also where the instance is left out, the number written in words, the value told in other words."""
    _, found, record = await told(gemini, draft)
    assert not [reason for action, reason in found if action == "flagged"] and record["passed"]
