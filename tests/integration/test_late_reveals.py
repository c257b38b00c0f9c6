"""The spoiler guard over names that the story tells late: the sample story in the real engines, words by a fake."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from graph.builder import build_graph
from tests.fakes import FakeEmbedder
from tools.base import Scope
from tools.records import Horizon, PassageFilter
from wenmai.agent import Agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.checkpoints.sqlite import open_checkpoints
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import load_settings

NIGHT, SEAMSTRESS = "潮生", "乌三娘"  # one person; part 2, chapter 7 tells it
EARLY, TOLD = Horizon(1, 5), Horizon(2, 7)
FATHER, PRISONER = "陆怀远", "丁四十一"  # one person; part 2, chapter 4 tells it
OFFICIAL, TITLE = "程半山", "程厅长"  # no passage joins them; the name is first told in chapter 4
FAMOUS = """第一章 桃园
关羽字云长，河东解良人也。
第二章 温酒
云长提刀上马，斩华雄于阵前。
第三章 赠马
关羽拜谢曹操。
"""


class Words(FakeEmbedder):
    """The fake as a service of a process."""

    async def close(self) -> None:
        """Nothing is open."""


def services_with_words(services: Services) -> Services:
    services.__dict__["embedder"] = Words()  # where cached_property keeps it
    return services


async def put(services: Services, library: str, story: Path, aliases: Path, *graph: Path) -> None:
    stores = Stores(passages=services.passages, graph=services.graph, catalog=services.catalog)
    request = IngestRequest(path=story, library=library, aliases=aliases, graph_files=tuple(graph))
    await ingest(request, stores=stores, embedder=services.embedder)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reveals")


@pytest.fixture
async def agent(data: Path) -> AsyncIterator[Agent]:
    settings = load_settings(data_dir=data / "data", trace_dir=data / "traces")
    services, source = services_with_words(Services(settings)), sample.sample_folder()
    files = [source / name for name in sample.GRAPH]
    try:
        await put(services, "sample", source / sample.STORY, source / sample.ALIASES, *files)
        async with open_checkpoints(settings.data_dir) as checkpoints:
            yield Agent(services, build_graph(services.assembly.dependencies(), checkpoints), checkpoints)
    finally:
        await services.close()


def calls(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return calls of every tool about somebody."""
    return [
        ("vector_search", {"query": name, "entity_filter": name, "top_k": 50}),
        ("graph_search", {"entity": name, "depth": 3}),
        ("track_entity", {"entity": name}),
        ("lookup_knowledge", {"entity": name}),
        ("find_connection", {"entity1": name, "entity2": "陆听雪"}),
        ("track_journey", {"entity": name}),
        ("track_journey", {"entity": "陆听雪", "target": name}),
        ("get_character_events", {"entity": name}),
        ("search_memory", {"query": "信", "characters": [name]}),
        ("list_characters", {"names": [name]}),
        ("search_memory", {"query": f"{name}的信", "sort_by": "time"}),
    ]


async def told(agent: Agent, tool: str, args: dict[str, Any], horizon: Horizon | None) -> str:
    """Return all that a call tells: the text for the model, and the evidence with its tags."""
    scope = Scope(library="sample", horizon=horizon)
    outcome = await agent.services.assembly.toolbox(("story", "narrative")).run(tool, args, scope, 1)
    assert outcome.ok, outcome.content
    assert outcome.result is not None
    return outcome.content + json.dumps(list(outcome.result.evidence), ensure_ascii=False)


@pytest.mark.parametrize(
    ("name", "other", "horizon"),
    [
        (NIGHT, SEAMSTRESS, EARLY),
        (NIGHT, SEAMSTRESS, Horizon(2, 6)),
        (PRISONER, FATHER, Horizon(2, 3)),
    ],
)
async def test_no_tool_joins_what_the_story_has_not_told(agent: Agent, name: str, other: str, horizon: Horizon) -> None:
    """STO-19: under the guard the alias is a person of its own, for every tool; about her they tell of nobody else."""
    passages = await agent.services.passages.scroll("sample", PassageFilter(entity=name, horizon=horizon))
    assert passages and not any(other in passage.text for passage in passages)
    for tool, args in calls(name):
        result = await told(agent, tool, args, horizon)
        searches_everywhere = tool == "search_memory" and "characters" not in args
        assert searches_everywhere or other not in result, tool
        assert f"{name} -> {other}" not in result and f"{other} -> {name}" not in result
    for tool, args in calls(other):
        result = await told(agent, tool, args, horizon)
        assert "已解析" not in result and f'"{name}", "{other}"' not in result, tool
    tags = [one.entities for one in await agent.services.passages.scroll("sample", PassageFilter(horizon=horizon))]
    assert any(name in one for one in tags) and not any(other in one and name in one for one in tags)


async def test_a_person_by_her_own_name_has_her_own_evidence(agent: Agent) -> None:
    """STO-19: who is asked for by the alias is found: passages, relations and events of that name alone."""
    assert NIGHT in await told(agent, "search_memory", {"query": "信", "characters": [NIGHT]}, EARLY)
    events = await told(agent, "get_character_events", {"entity": NIGHT}, EARLY)
    assert "收到潮生第一封信" in events and '["陆听雪", "潮生"]' in events
    assert "未找到" in await told(agent, "get_character_events", {"entity": SEAMSTRESS}, EARLY)
    both = {"entity1": NIGHT, "entity2": SEAMSTRESS}
    assert "同一实体" not in await told(agent, "find_connection", both, EARLY)
    found = await agent.services.passages.scroll("sample", PassageFilter(entity=SEAMSTRESS, horizon=EARLY))
    assert found and all(SEAMSTRESS in passage.text or "乌婆婆" in passage.text for passage in found)


async def test_a_title_does_not_tell_the_name_that_comes_later(agent: Agent) -> None:
    """STO-19: until the story has told the canonical name, tools, record, answer and session hold the title alone."""
    early = Horizon(1, 3)
    for tool, args in calls(TITLE):
        assert OFFICIAL not in await told(agent, tool, args, early), tool
    names = await agent.services.graph.names("sample", early)
    assert TITLE in [one.entity for one in names] and OFFICIAL not in [one.entity for one in names]
    tags = [one.entities for one in await agent.services.passages.scroll("sample", PassageFilter(horizon=early))]
    assert any(TITLE in one for one in tags) and not any(OFFICIAL in one for one in tags)
    answer = await agent.ask(f"{TITLE}叫什么名字？", library="sample", thread_id="title", as_of_chapter=3)
    state = (await agent.graph.aget_state(agent.config("title"))).values["session"]
    assert OFFICIAL not in answer.text + json.dumps([answer.record, state], ensure_ascii=False)
    assert f"{TITLE} -> {OFFICIAL}" in await told(agent, "track_entity", {"entity": TITLE}, Horizon(1, 4))


@pytest.mark.parametrize("horizon", [TOLD, None])
async def test_after_the_reveal_she_is_one(agent: Agent, horizon: Horizon | None) -> None:
    """STO-19 STO-07: from the chapter that tells it, and without a guard, the alias is the entity's."""
    assert f"{NIGHT} -> {SEAMSTRESS}" in await told(agent, "track_entity", {"entity": NIGHT}, horizon)
    both = {"entity1": NIGHT, "entity2": SEAMSTRESS}
    assert "同一实体" in await told(agent, "find_connection", both, horizon)
    assert "收到潮生第一封信" in await told(agent, "get_character_events", {"entity": SEAMSTRESS}, horizon)
    names = [one.text for one in await agent.services.graph.names("sample", horizon) if one.entity == NIGHT]
    assert names == []


@pytest.mark.parametrize("toolkit", ["story", "narrative"])
async def test_a_guarded_turn_forgets_what_an_unguarded_one_learned(agent: Agent, toolkit: str) -> None:
    """STO-19: a thread that knows who 潮生 is does not tell a reader of chapter 5; the user's own words stay."""
    run: dict[str, Any] = {"library": "sample", "toolkits": [toolkit], "thread_id": f"t-{toolkit}"}
    open_answer = await agent.ask("潮生是谁？", **run)
    assert SEAMSTRESS in json.dumps(open_answer.record["evidence"], ensure_ascii=False)
    guarded = await agent.ask("她写过什么信？", as_of_chapter=5, **run)
    shown = json.dumps(guarded.record, ensure_ascii=False)
    assert NIGHT in guarded.record["resolved_question"]
    assert SEAMSTRESS not in guarded.record["resolved_question"] + guarded.text
    assert f"{NIGHT} -> {SEAMSTRESS}" not in shown
    state = (await agent.graph.aget_state(agent.config(run["thread_id"]))).values["session"]
    assert SEAMSTRESS not in [entity["name"] for entity in state["entities"]]
    assert [turn["answer"] == "" for turn in state["turns"]] == [True, False]
    assert [turn["as_of"] for turn in state["turns"]] == [[1, 5], [1, 5]]


async def test_a_later_horizon_keeps_what_an_earlier_one_learned(agent: Agent) -> None:
    """STO-19 S000-D10: who reads on remembers; who goes back does not."""
    run: dict[str, Any] = {"library": "sample", "thread_id": "onwards"}
    for part, chapter in ((1, 3), (1, 5), (2, 1)):
        await agent.ask("陆听雪是谁？", as_of_part=part, as_of_chapter=chapter, **run)
    state = (await agent.graph.aget_state(agent.config("onwards"))).values["session"]
    assert all(turn["answer"] for turn in state["turns"])
    await agent.ask("她的父亲是谁？", as_of_chapter=4, **run)
    state = (await agent.graph.aget_state(agent.config("onwards"))).values["session"]
    assert [bool(turn["answer"]) for turn in state["turns"]] == [True, False, False, True]


async def test_an_ordinary_alias_works_under_the_guard(data: Path) -> None:
    """STO-19 STO-07: 云长 counts from the passage that introduces him, and finds 关羽 by every name."""
    (data / "famous.txt").write_text(FAMOUS, encoding="utf-8")
    (data / "famous.json").write_text('{"mention": {"关羽": ["云长"], "华雄": [], "曹操": []}}', encoding="utf-8")
    services = services_with_words(Services(load_settings(data_dir=data / "famous")))
    try:
        await put(services, "三国", data / "famous.txt", data / "famous.json")
        scope = Scope(library="三国", horizon=Horizon(1, 2))
        tools = services.assembly.toolbox(("story",))
        outcome = await tools.run("vector_search", {"query": "斩华雄", "entity_filter": "云长"}, scope, 1)
        assert "已解析: 云长 -> 关羽" in outcome.content
        assert outcome.result is not None
        assert [(one["chapter"], one["entities"]) for one in outcome.result.evidence] == [
            (2, ["关羽", "华雄"]),
            (1, ["关羽"]),
        ]
    finally:
        await services.close()


@pytest.mark.parametrize(("horizon", "known"), [(Horizon(1, 3), False), (Horizon(2, 9), True)])
async def test_whom_a_reader_has_not_met_is_not_answered_for(agent: Agent, horizon: Horizon, known: bool) -> None:
    """STO-19: a name that comes later is refused like one that never comes; nobody else's deeds stand in for it."""
    question = "顾小满是谁？"
    answer = await agent.ask(question, library="sample", as_of_part=horizon.part, as_of_chapter=horizon.chapter)
    assert (answer.status != "not_found") is known
