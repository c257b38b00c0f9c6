"""An English question over an English story: nothing that Gemini is sent tells it anything in Chinese."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.fake_documents import FakeDocumentStore
from tests.fake_knowledge import FakeKnowledgeNetwork
from tests.fakes import DeadEmbedder, FakeEmbedder
from tests.gemini import fault
from tests.gemini.parts import as_json, call, text
from tests.gemini.replies import Step, always, turn
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import GRADER, REFINER, RESOLVER, SHALLOW, grade, resolved, talking
from tests.unit.tools.world import Graph, World, edge, passage
from tools.errors import StoreUnavailable
from tools.messages import Message, speaking
from tools.networks.knowledge_network_query import NAME as QUERY
from tools.networks.knowledge_network_query import KnowledgeNetworkQuery
from tools.networks.knowledge_network_retrieval import NAME as RETRIEVAL
from tools.networks.knowledge_network_retrieval import retrieval_tool
from tools.records import Entity, Horizon, MajorEvent, Participant, Relation
from tools.toolboxes import TOOLKITS, document_tools, toolbox_for
from wenmai.minds.model.caller import Breaker

# Han characters with all that is set in their width.
CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Corner brackets hold the evidence of relations and events; a short gist may lose the closing one.
QUOTED = re.compile(r"「[^」\"\n]*」?")
TEXTS = [
    "Ada met Ben at the harbour, and they became friends at once.",
    "Ben lost his ship in the storm, and Ada gave him hers.",
    "Ada sailed home alone.",
]
OPINION: dict[str, Any] = {"missing": ["look for concrete scenes"]}


SILENT = Message("neo4j.silent", uri="bolt://graph")


class Flaky(Graph):
    """A graph whose paths are out of reach, with a message that is written for the user."""

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        raise StoreUnavailable(SILENT)


def harbour(graph: Graph | None = None) -> World:
    """Return a small story in English."""
    made = [passage(i, 1, i + 1, told, ("Ada", "Ben")) for i, told in enumerate(TEXTS)]
    rows = [replace(one, chapter_title=f"Chapter {one.chapter}") for one in made]
    people = [
        Entity(name="Ada", aliases=("Admiral",), alias_first=((1, 1),), description="an admiral", first=(1, 1)),
        Entity(name="Ben", first=(1, 1)),
        Entity(name="Cat", first=(1, 1)),
    ]
    met = edge("Ada", "FRIEND_OF", "Ben", 1, evidence="they became friends at once", start=31)
    loss = MajorEvent(
        name="the lost ship",
        event_type="loss",
        primary_character="Ben",
        participants=(Participant("Ben"), Participant("Ada", "witness")),
        part=1,
        chapter=2,
        task_id="t1",
        event_order=2,
        summary="Ben lost his ship in the storm",
        evidence="Ben lost his ship",
        outcome="Ada gave him hers",
        start=0,
    )
    return World(rows=rows, entities=people, relations=[met], events=[loss], graph=graph or Graph())


def foreign(service: Space) -> dict[int, list[str]]:
    """Return, by request, what is Chinese outside quoted evidence."""
    bodies = {one.number: QUOTED.sub("", json.dumps(one.body, ensure_ascii=False)) for one in service.history}
    return {number: found for number, body in bodies.items() if (found := CJK.findall(body))}


LOOK_UPS = [
    call("graph_search", {"entity": "Ada", "depth": 1}),
    call("track_entity", {"entity": "Ben", "chapter_range": [1, 2]}),
    call("vector_search", {"query": "storm", "entity_filter": "Admiral"}),
    call("lookup_knowledge", {"entity": "Ada"}),
    call("find_connection", {"entity1": "Ada", "entity2": "Ben"}),
    call("track_journey", {"entity": "Ada", "target": "Ben"}),
    call("get_character_events", {"entity": "Ben"}),
    call("search_memory", {"query": "ship", "characters": ["Ben"], "sort_by": "time"}),
    call("list_characters", {}),
    call("list_characters", {"names": ["Admiral"]}),
    call("read_chapters", {}),
    call("read_chapters", {"chapters": [1, -1]}),
    call("read_chapters", {"chapters": [1, -1], "sentences": 2}),
    call("read_chapters", {"chapters": [1, -1], "page": 1}),
    call("read_passage", {"names": ["Ada", "Ben"]}),
    call("read_passage", {"quote": "no such words stand there"}),
]
MISSES = [
    call("graph_search", {"entity": "Nobody"}),
    call("graph_search", {"entity": "Cat"}),
    call("graph_search", {"entity": "Ada", "relation": "HATES"}),
    call("lookup_knowledge", {"entity": "Nobody"}),
    call("lookup_knowledge", {"entity": "Cat"}),
    call("find_connection", {"entity1": "Ada", "entity2": "Cat"}),
    call("find_connection", {"entity1": "Ada", "entity2": "Admiral"}),
    call("track_journey", {"entity": "Cat"}),
    call("get_character_events", {"entity": "Cat"}),
    call("get_character_events", {"entity": "Ben", "event_type": "party"}),
    call("search_memory", {"query": "ship", "characters": ["Cat"]}),
    call("search_memory", {"sort_by": "time"}),
    call("vector_search", {"query": "x", "top_k": 99}),
    call("vector_search", {"query": "x", "top_k": "many"}),
    call("vector_search", {"query": "x", "chapter_filter": [3, 1]}),
    call("vector_search", {"query": "x", "chapter_filter": "soon"}),
    call("list_characters", {"names": ["Nobody"]}),
    call("read_chapters", {"chapters": [90, 99]}),
    call("read_chapters", {"chapters": [3, 1]}),
    call("read_passage", {}),
    call("read_passage", {"names": ["Ada", "Nobody"]}),
    call("fly", {"to": "the moon"}),
]


@pytest.mark.parametrize("graph", [Graph, Flaky])
async def test_a_whole_turn(service: Space, graph: type[Graph]) -> None:
    """S003-08 S003-05 S003-21 S003-D04: prompts, declarations, results, numbers, hints and notes of failures."""
    both: dict[str, Any] = {"toolkits": ["story", "narrative"], "max_tool_calls": 50, "max_turns": 2}
    session = {"entities": ["Ben", "Ada"], "topic": "the sea"}
    async with talking(service, world=harbour(graph()), title="The Harbour") as talk:
        talk.resolver(resolved("How are Ada and Ben related?", ("she", "Ada"), ("he", "Ben"), topic="friends"))
        talk.agent(
            turn(*LOOK_UPS, *MISSES),
            call("stop", {"reason": "sufficient"}),
            text("They are friends[E1]."),
            text("Surely friends."),
            turn(*LOOK_UPS[6:8], *LOOK_UPS[6:8]),
            call("search_memory", {"query": "storm"}),
            text("They met at the harbour, and Ada gave Ben her ship[E1][E2]."),
        )
        talk.grader(grade(SHALLOW, **OPINION), grade(SHALLOW, **OPINION), grade(**OPINION))
        talk.refiner(as_json(["Ada Ben harbour", "Ada ship storm"]), always(text("no JSON")))
        result = await talk.ask("How are she and he related?", session=session, **both)
    service.assert_clean()
    assert [one["passed"] for one in result["attempts"]] == [False, False, True]
    assert {one.model for one in service.history} == {RESOLVER, LOOPBACK_MODEL, GRADER, REFINER}
    assert foreign(service) == {}
    told = json.dumps([one.body for one in service.history])
    with speaking("en"):
        assert (str(SILENT) in told) is (graph is Flaky)
    planner = [one for one in service.history if one.model == LOOPBACK_MODEL]
    assert planner[0].prompt.startswith("The conversation so far:\n- entities mentioned last: Ben, Ada")
    errors = {name: answer["error"] for name, answer in planner[1].responses if "error" in answer}
    assert "top_k must be between 1 and 50, got 99" in [answer.get("error") for _, answer in planner[1].responses]
    assert ("find_connection" in errors) == (graph is Flaky)
    assert "[E2] part 1, Chapter" in str(planner[1].responses)
    assert '[System: the last answer lacks depth. Suggested search words: "Ada Ben harbour"' in planner[3].prompt
    assert "[Revise your last draft with the material at hand" in planner[3].prompt
    assert "[System: the last answer was incomplete (attempt 2/3)." in planner[4].prompt


async def test_other_turns(service: Space) -> None:
    """S003-08 LOP-01 LOP-07 S000-35: small talk, rag mode and nothing found speak English too."""
    async with talking(service, world=harbour(), title="The Harbour") as talk:
        talk.agent(text("Hello!"), text("In the storm[E1]."), call("lookup_knowledge", {"entity": "Nobody"}), text("?"))
        talk.agent(call("lookup_knowledge", {"entity": "None"}), text("?"))
        talk.refiner(as_json(["Nobody harbour", "Nobody ship"]))
        await talk.ask("Hello", "t1")
        await talk.ask("Where did Ben lose his ship?", "t2", mode="rag")
        result = await talk.ask("Who is Nobody?", "t3", max_attempts=2)
    service.assert_clean()
    assert foreign(service) == {}
    assert result["attempts"][0]["grade"]["suggestion"] == "Search again with other words"


FAULTS: dict[str, Callable[[], Step]] = {
    "key": fault.bad_key,
    "model": lambda: fault.unknown_model(LOOPBACK_MODEL),
    "region": fault.region,
    "refused": lambda: fault.status(400, "Request contains an invalid argument."),
    "thinking": lambda: fault.status(400, "Thinking level is not supported."),
    "quota": fault.quota,
    "internal": lambda: fault.status(500),
    "late": lambda: fault.status(504),
    "closed": fault.closed,
    "cut": lambda: fault.cut(text("They are")),
    "silent": fault.silent,
    "hang": fault.hang,
}


@pytest.mark.parametrize("name", FAULTS)
async def test_failures(service: Space, name: str) -> None:
    """LOP-11: what is told of the service's failure is in the language of the question, with what mends it."""
    async with talking(service, world=harbour(), timeout_s=3.0 if name == "hang" else 60.0) as talk:
        talk.agent(call("search_memory", {"query": "storm"}), always(FAULTS[name]()))
        result = await talk.ask("Who lost a ship?")
    assert result["warning"] and CJK.search(result["warning"]) is None
    assert (f"{service.words.prefix}_MODEL" in result["warning"]) == (name in ("model", "thinking"))


async def test_failures_of_the_other_roles(service: Space) -> None:
    """LOP-11 S003-D04: resolver, grader and refiner, a spent question and an open circuit are told in English too."""
    session, look = {"entities": ["Ben"], "topic": None}, call("search_memory", {"query": "storm"})
    async with talking(service, world=harbour(), breaker=Breaker(failures=3)) as talk:
        talk.resolver(always(fault.bad_key()))
        told = [await talk.ask("Who is he?", "t1", session=session)]
        talk.agent(look, text("Ben did[E1]."), look, text("Ben did[E1]."))
        talk.grader(*[text("no JSON")] * 2 * talk.mends)
        told.append(await talk.ask("Who lost a ship?", "t2"))
        talk.grader(grade(SHALLOW, **OPINION))
        talk.refiner(always(fault.bad_key()))
        talk.agent(text("?"))
        told.append(await talk.ask("Who lost a ship?", "t3", max_attempts=2))
        talk.agent(look)
        told.append(await talk.ask("Who lost a ship?", "t4", max_tokens=1))
        service.outage = fault.status(503)
        told.append(await talk.ask("Who lost a ship?", "t5"))
        told.append(await talk.ask("Who lost a ship?", "t6"))
    words = [service.words.key, "GRADER_MODEL", service.words.key, "max_tokens", "503", "calls are paused"]
    assert [word in one["warning"] for word, one in zip(words, told, strict=True)] == [True] * 6
    assert [CJK.findall(one["warning"]) for one in told] == [[]] * 6


async def test_a_dead_embedder_is_told_once(service: Space) -> None:
    """LOP-05 LOP-11: the question is answered from what words alone find, and the warning says so, once."""
    world = harbour()
    world.embedder = DeadEmbedder()
    searches = [call("search_memory", {"query": query}) for query in ("storm", "harbour")]
    async with talking(service, world=world) as talk:
        talk.agent(turn(*searches), call("vector_search", {"query": "ship"}), text("Ben lost it[E1]."))
        talk.grader(grade(**OPINION))
        result = await talk.ask("Who lost a ship?", toolkits=["story", "narrative"])
    assert result["passed"] and [one["ok"] for one in result["tool_calls"]] == [True] * 3
    assert result["warning"].count("by words alone") == 1 and CJK.search(result["warning"]) is None
    assert talk.traces.records[0]["warning"] == result["warning"]


def test_every_declaration_has_an_english_twin() -> None:
    """S000-D09 S003-08: the same names, types and required lists in both languages, no Chinese in the English ones."""
    tools = World().tools() | document_tools(FakeDocumentStore(), FakeEmbedder())
    tools |= {RETRIEVAL: retrieval_tool(FakeKnowledgeNetwork(), lambda: "s", 30.0)}
    tools |= {QUERY: KnowledgeNetworkQuery(FakeKnowledgeNetwork())}
    toolbox = toolbox_for(list(TOOLKITS), tools)
    chinese, english = toolbox.declarations(), toolbox.declarations("en")
    assert len(english) == 19 and CJK.search(json.dumps(english, ensure_ascii=False)) is None
    assert [bare(one) for one in english] == [bare(one) for one in chinese]
    sort = {one["name"]: one for one in english}["search_memory"]["parameters"]["properties"]["sort_by"]
    assert sort["description"] == "order: relevance, or time (of the story) (default relevance)"


def bare(declaration: dict[str, Any]) -> dict[str, Any]:
    """Return a declaration without its descriptions."""
    properties = declaration["parameters"]["properties"]
    kept = {name: {k: v for k, v in one.items() if k != "description"} for name, one in properties.items()}
    return {"name": declaration["name"], "parameters": {**declaration["parameters"], "properties": kept}}
