"""Gemini over a network, through the real client: the guide, both recoveries, whose networks and account (KNO-35)."""

from dataclasses import dataclass, field, replace
from typing import Any

from graph.builder import AgentDependencies
from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.gemini import fault
from tests.gemini.parts import call, text
from tests.gemini.space import LOOPBACK_MODEL, Gemini
from tests.graph.talk import Talk, grade
from tests.networks.rig import CLINIC, fake_clinic
from tests.shipped import shipped_reader
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_query import KnowledgeNetworkQuery
from tools.networks.knowledge_network_retrieval import NAME, retrieval_tool
from tools.networks.lexicon import Lexicons
from tools.toolboxes import toolbox_for
from wenmai.minds.model.mind import OpeningSearch
from wenmai.minds.offline.mind import offline_mind
from wenmai.minds.offline.networks.naming import asked_words, in_full

NETWORKS: dict[str, Any] = {"toolkits": ["knowledge"], "kn_ids": [CLINIC], "user_id": "lin"}
QUESTION = "上气道梗阻有哪些症状"
SCHEMA = call(NAME, {"query": QUESTION})
STOP = call("stop", {"reason": "sufficient"})


def keyword(query: str, type_id: str | None = "disease", **more: Any) -> Any:
    """Return a call for a keyword."""
    args = {"query": query, "enable_keyword_context": True, "object_type_id": type_id, **more}
    return call(NAME, {name: value for name, value in args.items() if value is not None})


BOTH: dict[str, Any] = {"toolkits": ["narrative", "knowledge"], "kn_ids": [CLINIC]}


@dataclass
class NetworkTalk(Talk):
    """A graph over the loopback service whose tool asks the clinic."""

    port: FakeKnowledgeNetwork = field(default_factory=fake_clinic)
    offline: bool = False

    def parts(self) -> AgentDependencies:
        tool = retrieval_tool(self.port, lambda: "new")
        query = KnowledgeNetworkQuery(self.port)
        tools = {**self.world.tools(), tool.name: tool, query.name: query}
        parts, lexicons = super().parts(), Lexicons(self.port, asked_words)
        mind = offline_mind(parts.linker, self.world.passages, self.world.embedder, lexicons, reader=shipped_reader)
        return replace(
            parts,
            mind=mind if self.offline else replace(parts.mind, opener=OpeningSearch(lexicons, in_full=in_full)),
            fallback=mind,
            toolboxes=lambda toolkits: toolbox_for(toolkits, tools),
            lexicons=lexicons,
        )


async def test_schema_then_keyword(gemini: Gemini) -> None:
    """KNO-35 S001-02 S001-36: guide and declaration; the model sees compact results; the answer cites a relation."""
    talk = NetworkTalk(gemini)
    talk.agent(SCHEMA, keyword("上气道梗阻"), STOP, text("有呼吸困难[E10]。"))
    talk.grader(grade())
    result = await talk.ask(QUESTION, **NETWORKS)
    gemini.assert_clean()
    first, second, third, _ = [one for one in gemini.history if one.model == LOOPBACK_MODEL]
    assert "没有 schema 时先用完整问题召回" in first.system
    assert first.tools == [NAME, QUERY, "stop"]
    declared = first.body["tools"][0]["functionDeclarations"][0]
    assert declared["description"].startswith("从知识网络中检索信息。先用完整问题召回 schema")
    assert declared["description"].endswith("一次一个关键词）。")
    assert set(declared["parameters"]["properties"]) == {"query", "enable_keyword_context", "object_type_id", "kn_ids"}
    assert "是否启用关键词上下文召回。True：基于关键词召回上下文信息（需要先有schema）" in str(declared["parameters"])
    ((_, schema),) = second.responses[-1:]
    assert "- disease (" in schema["result"] and len(schema["result"]) < 1_500
    ((_, found),) = third.responses[-1:]
    assert "disease_004790" in found["result"] and "icd_id" not in found["result"]
    assert result["passed"] and result["citations"][0]["location"].startswith("clinic / disease_004790 / ")
    await talk.provider.close()


async def test_recovers_from_a_missing_schema(gemini: Gemini) -> None:
    """KNO-35 S001-08: told that there is no schema, the model recalls it and repeats the keyword."""
    talk = NetworkTalk(gemini)
    talk.agent(keyword("上气道梗阻"), SCHEMA, keyword("上气道梗阻"), STOP, text("见结果[E1]。"))
    talk.grader(grade())
    result = await talk.ask(QUESTION, **NETWORKS)
    gemini.assert_clean()
    second = [one for one in gemini.history if one.model == LOOPBACK_MODEL][1]
    ((_, refused),) = second.responses
    assert refused["error"].startswith("Schema信息不存在") and refused["status_code"] == 400
    assert [one["ok"] for one in result["tool_calls"]] == [False, True, True, True] and result["citations"]
    await talk.provider.close()


async def test_recovers_from_a_missing_or_unknown_type(gemini: Gemini) -> None:
    """KNO-35 S001-09 S001-D10: told which types there are, the model chooses one and repeats."""
    talk = NetworkTalk(gemini)
    talk.agent(SCHEMA, keyword("肺炎", None), keyword("肺炎", "person"), keyword("肺炎"), STOP, text("见结果[E1]。"))
    talk.grader(grade())
    result = await talk.ask("肺炎怎么治疗", **NETWORKS)
    gemini.assert_clean()
    assert [one["ok"] for one in result["tool_calls"]] == [True, False, False, True, True]
    history = [one for one in gemini.history if one.model == LOOPBACK_MODEL]
    assert history[2].responses[-1][1]["error"].startswith("object_type_id参数必须提供")
    assert "disease" in history[3].responses[-1][1]["detail"]["available_object_type_ids"]
    await talk.provider.close()


async def test_identity_is_not_the_models(gemini: Gemini) -> None:
    """S001-02 PLA-01 PLA-03: account and session come from the run; other networks than the run's are refused."""
    talk = NetworkTalk(gemini)
    forged = {"account": "root", "session_id": "other", "compact": False}
    talk.agent(
        call(NAME, {"query": QUESTION, **forged}),
        keyword("肺炎", kn_ids=["secret"]),
        keyword("肺炎"),
        STOP,
        text("好[E1]。"),
    )
    talk.grader(grade())
    result = await talk.ask(QUESTION, **NETWORKS, account="ward-7", account_type="app")
    gemini.assert_clean()
    assert [one["ok"] for one in result["tool_calls"]] == [True, False, True, True]
    accounts = {(account.id, account.type) for method, _, account, _ in talk.port.history}
    networks = {network for _, network, _, _ in talk.port.history}
    assert accounts == {("ward-7", "app")} and networks == {CLINIC}
    await talk.provider.close()


async def test_a_story_and_a_network_in_one_run(gemini: Gemini) -> None:
    """S000-04 LOP-09: offline too, each question goes to the source that knows it, also within one thread."""
    talk = NetworkTalk(gemini, offline=True)
    asked = ["恰斯卡和卡齐娜是什么关系？", "肺炎的疗程是多久？", "费用呢？", "恰斯卡和肺炎球菌肺炎的疗程是什么？"]
    of_story, of_network, follow_up, of_both = [await talk.ask(question, **BOTH) for question in asked]
    assert {piece["kind"] for piece in of_story["evidence"]} <= {"relation", "passage"}
    assert NAME not in {call["tool"] for call in of_story["tool_calls"]}
    assert of_network["answer"].startswith("肺炎的疗程：2周[1]")
    assert "肺炎" in follow_up["resolved_question"] and follow_up["answer"].startswith("肺炎的费用：3000[1]")
    tools = {call["tool"] for call in of_both["tool_calls"]}
    assert NAME in tools and len(tools - {NAME, "stop"}) >= 1
    assert {"property", "passage"} <= {piece["kind"] for piece in of_both["evidence"]}
    await talk.provider.close()


async def test_the_fallback_finishes(gemini: Gemini) -> None:
    """LOP-11: where the model fails the offline mind answers from the network, and the result says so."""
    talk = NetworkTalk(gemini)
    gemini.outage = fault.status(400)
    result = await talk.ask("肺炎的疗程是多久？", **NETWORKS)
    assert result["degraded"] and "肺炎的疗程：2周" in result["answer"]
    await talk.provider.close()


async def test_the_code_asks_the_network_first(gemini: Gemini) -> None:
    """LOP-17: the schema stands in the system prompt, what the question names behind it, a number an instance."""
    talk = NetworkTalk(gemini)
    results = []
    for _ in range(2):
        talk.agent(text("肺炎在内科治疗，用抗生素[E1]。"))
        talk.grader(grade())
        results.append(await talk.ask("肺炎怎么治疗", opening_search=True, **NETWORKS))
    gemini.assert_clean()
    result = results[-1]
    first, second = [one for one in gemini.history if one.model == LOOPBACK_MODEL]
    assert "- disease (" in first.system and len(first.system) < 2_000 and first.contents[-1]["role"] == "user"
    assert [one["tool"] for one in result["tool_calls"]] == [NAME, NAME] and "object_types" not in first.prompt
    rows = [line for line in first.prompt.splitlines() if line.startswith("[E")]
    assert rows[0].startswith("[E1] 肺炎 — ") and len({row.partition(" ")[2] for row in rows}) == len(rows) > 3
    later = [line for line in second.prompt.splitlines() if line.startswith("[E")]
    assert later == rows, "a second question sees the neighbours too"
    await talk.provider.close()
