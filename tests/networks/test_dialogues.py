"""The dialogues of knowledge.md §2 and §9, word for word: the model's, on the real client, and the offline mind's."""

from typing import Any

from tests.gemini.parts import text
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.graph.talk import grade
from tests.networks.test_gemini import NETWORKS, QUESTION, SCHEMA, STOP, NetworkTalk, keyword
from tests.shipped import shipped_reader

FIVE = {"呼吸困难", "咳嗽", "喘鸣", "紫绀", "烦躁不安"}
LABEL = "上、下气道梗阻 — 疾病症状: "


def arguments(record: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    """Return query and type of the calls to the network, in order."""
    calls = [one["args"] for one in record["tool_calls"] if one["tool"] != "stop"]
    return [(one["query"], one.get("object_type_id")) for one in calls]


def symptoms(record: dict[str, Any]) -> set[str]:
    """Return the symptoms that the citations of an answer tell."""
    quotes = [one["quote"] for one in record["citations"]]
    return {quote.removeprefix(LABEL) for quote in quotes if quote.startswith(LABEL)}


async def test_the_model_goes_through_the_full_flow(gemini: Gemini) -> None:
    """S001-36 KNO-35: Given no opening search, When schema, keyword and stop, Then the five neighbours are cited."""
    talk = NetworkTalk(gemini, reader=shipped_reader)
    talk.agent(SCHEMA, keyword("上气道梗阻"), STOP, text(f"上、下气道梗阻的疾病症状有{'、'.join(sorted(FIVE))}[E1]。"))
    talk.grader(grade())
    record = await talk.ask(QUESTION, **NETWORKS)
    await talk.provider.close()
    gemini.assert_clean()
    assert arguments(record) == [(QUESTION, None), ("上气道梗阻", "disease")]
    (_, found) = [one for one in gemini.history if one.model == LOOPBACK_MODEL][2].responses[-1]
    assert "上、下气道梗阻" in found["result"] and all(name in found["result"] for name in FIVE)
    assert record["passed"] and symptoms(record) == FIVE
    assert {one["location"] for one in record["citations"]} == {"clinic / disease_004790 / 疾病症状"}


async def test_the_model_asks_two_keywords_on_one_schema(gemini: Gemini) -> None:
    """S001-36 S001-06: the second keyword, of another type, needs no second schema; both give evidence."""
    talk = NetworkTalk(gemini)
    draft = "上、下气道梗阻的疾病症状有咳嗽[E12]，网络里还有一种症状叫症状不明[E1]。"
    talk.agent(SCHEMA, keyword("上气道梗阻"), keyword("症状", "symptom"), STOP, text(draft))
    talk.grader(grade())
    record = await talk.ask(QUESTION, **NETWORKS)
    await talk.provider.close()
    gemini.assert_clean()
    assert arguments(record) == [(QUESTION, None), ("上气道梗阻", "disease"), ("症状", "symptom")]
    assert [one["ok"] for one in record["tool_calls"]] == [True, True, True, True]
    assert {"上、下气道梗阻", "症状不明"} <= {name for piece in record["evidence"] for name in piece["entities"]}


async def test_the_code_opens_with_schema_and_keyword(gemini: Gemini) -> None:
    """LOP-17 KNO-35: the opening search finds what the question names in part; the model answers at once."""
    talk = NetworkTalk(gemini, reader=shipped_reader)
    talk.agent(text("有呼吸困难、咳嗽、喘鸣、紫绀、烦躁不安[E1]。"))
    talk.grader(grade())
    record = await talk.ask(QUESTION, opening_search=True, **NETWORKS)
    await talk.provider.close()
    gemini.assert_clean()
    assert arguments(record) == [(QUESTION, None), ("上气道梗阻", "disease")]
    assert symptoms(record) == FIVE


async def test_the_offline_mind_goes_through_the_full_flow(gemini: Gemini) -> None:
    """S001-36 KNO-35 LOP-09: the same calls, without a model and without one request to it."""
    talk = NetworkTalk(gemini, offline=True)
    record = await talk.ask(QUESTION, **NETWORKS)
    await talk.provider.close()
    assert arguments(record) == [(QUESTION, None), ("上气道梗阻", "disease")]
    assert record["answer"] == "上、下气道梗阻的疾病症状：呼吸困难[1]、咳嗽[2]、喘鸣[3]、紫绀[4]、烦躁不安[5]。"
    assert record["passed"] and symptoms(record) == FIVE and record["mind"] == "offline"
    assert gemini.history == []
