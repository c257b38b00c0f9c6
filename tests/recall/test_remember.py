"""Memories made by use, with the offline mind on the real engine; what every face shows of them."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from graph.builder import AgentDependencies, build_graph
from nodes.policy import Policy
from nodes.roles import LearnRequest
from nodes.scope import Clock
from tests.fakes import FakeCatalog
from tests.graph.rig import LIBRARY, NO_WAIT, Traces, config, run_context, strict_saver, wall_clock
from tests.recall.rig import RecallRig
from tests.shipped import shipped_reader
from tests.unit.minds.rooms import calls_of, mind_of
from tests.unit.tools.world import World
from tools.errors import InputError, LibraryNotFound, StoreGone
from tools.memory.records import Memory, MemoryFilter
from tools.records import Horizon, LibraryInfo
from tools.story.names import EntityLinker
from tools.toolboxes import toolbox_for
from wenmai.cli.output.answers import remembered_lines, timeline
from wenmai.inputs import context_from
from wenmai.language.segmenting import cut
from wenmai.minds.offline.mind import offline_mind

OPEN = {"toolkits": ["narrative"], "remember": True}


@dataclass
class Reader:
    """The agent with the offline mind over a story and a store of memories."""

    rig: RecallRig
    world: World = field(default_factory=World)
    traces: Traces = field(default_factory=Traces)
    clock: Clock = wall_clock

    def __post_init__(self) -> None:
        linker = EntityLinker(self.world.graph)
        mind = offline_mind(linker, self.world.passages, self.world.embedder, reader=shipped_reader)
        self.recall = RecallRig(self.rig.store, mind=mind)
        self.world.recall = self.recall.recall
        tools = self.world.tools()
        parts = AgentDependencies(
            mind=mind,
            catalog=FakeCatalog(LibraryInfo(name=LIBRARY, title="原神", embedder="fake", dimension=32)),
            linker=linker,
            toolboxes=lambda toolkits: toolbox_for(toolkits, tools),
            traces=self.traces,
            policy=Policy(search_limits=(10,)),
            clock=self.clock,
            segment=cut,
            retries=NO_WAIT,
            memories=self.recall.memories,
        )
        self.graph = build_graph(parts, strict_saver())

    async def ask(self, question: str, thread: str = "t1", user: str | None = "林", **context: Any) -> dict[str, Any]:
        await self.world.stock()
        given: Any = {"messages": [{"role": "user", "content": question}]}
        run = run_context(user_id=user, **(OPEN | context))
        output = await self.graph.ainvoke(given, config(thread), context=run)
        result: dict[str, Any] = output["result"]
        return result


async def stored(rig: RecallRig, user: str = "林") -> list[Memory]:
    return await rig.store.scroll(user, MemoryFilter(active=None))


async def test_a_turn_is_kept_once(rig: RecallRig) -> None:
    """S002-D21 PLA-19: the offline mind keeps a summary of an answered question, and no second one of the same."""
    reader = Reader(rig)
    first = await reader.ask("恰斯卡在哪里遇见了卡齐娜？")
    (row,) = first["remembered"]
    assert (
        row["outcome"] == "kept" and row["memory_type"] == "general" and row["summary"] == "恰斯卡在哪里遇见了卡齐娜？"
    )
    again = await reader.ask("恰斯卡在哪里遇见了卡齐娜？", thread="t2")
    assert [one["outcome"] for one in again["remembered"]] == ["known"]
    (memory,) = await stored(rig)
    assert memory.thread_id == "t1" and memory.content.startswith("问: 恰斯卡在哪里遇见了卡齐娜？\n答: ")
    assert "[1]" not in memory.content and memory.content_metadata["as_of"] is None
    assert reader.traces.records[0]["remembered"] == [row]


async def test_off_by_default(rig: RecallRig) -> None:
    """PLA-08: without remember nothing is kept and nothing of memories is offered."""
    reader = Reader(rig)
    result = await reader.ask("按照我之前说的，卡齐娜是谁？", remember=False)
    assert result["remembered"] == [] and await stored(rig) == []
    assert "recall_memories" not in {call["tool"] for call in result["tool_calls"]}


@pytest.mark.parametrize("question", ["谢谢", "陆听雪的手机号码是多少？"])
async def test_what_teaches_nothing(rig: RecallRig, question: str) -> None:
    """LOP-07 S000-34: small talk and refusals are not kept."""
    result = await Reader(rig).ask(question)
    assert result["remembered"] == [] and await stored(rig) == []


async def test_a_statement_is_superseded(rig: RecallRig) -> None:
    """S002-D21: a newer statement of the same thing takes the older one's place; both dates stay readable."""
    reader = Reader(rig)
    (first,) = (await reader.ask("我最喜欢的人物是卡齐娜。"))["remembered"]
    (second,) = (await reader.ask("我最喜欢的人物是恰斯卡。"))["remembered"]
    assert second["outcome"] == "superseded" and second["supersedes"] == [first["memory_key"]]
    newer, older = await reader.recall.keeper.history("林", second["memory_key"])
    assert newer.is_active and older.content == "我最喜欢的人物是卡齐娜。"
    assert older.valid_until == newer.created_at >= older.created_at
    (third,) = (await reader.ask("我最喜欢的人物是卡齐娜。"))["remembered"]
    assert third["memory_key"] != first["memory_key"] and len(await stored(rig)) == 3


async def test_what_was_kept_is_recalled(rig: RecallRig) -> None:
    """MEM-01 MEM-07 LOP-09: a later conversation leans on it: recalled first, cited by its key, not kept again."""
    reader = Reader(rig)
    (kept,) = (await reader.ask("我最喜欢的人物是卡齐娜。"))["remembered"]
    result = await reader.ask("按照我之前说的，我最喜欢的人物是谁？", thread="later")
    assert result["tool_calls"][0]["tool"] == "recall_memories"
    assert result["answer"] == "我最喜欢的人物是卡齐娜。[1]" and result["passed"]
    (citation,) = result["citations"]
    assert citation["evidence"] == kept["memory_key"] and citation["location"].startswith(kept["memory_key"])
    assert result["remembered"] == [] and len(await stored(rig)) == 1
    other = await reader.ask("按照我之前说的，我最喜欢的人物是谁？", thread="theirs", user="乙")
    assert "卡齐娜" not in other["answer"] and not [p for p in other["evidence"] if p["kind"] == "memory"]


@pytest.mark.parametrize(
    ("kept", "question", "told"),
    [
        ("我们聊过很多，我喜欢听的音乐是爵士乐", "我上次说过喜欢听什么音乐？", "爵士乐"),
        ("我们聊过很多，我喜欢爵士乐", "我之前说我的火箭叫什么名字？", ""),
        ("We talked a lot, I like jazz music", "As I said earlier, what music do I like?", "jazz"),
        ("We talked a lot, I like jazz music", "We talked about my rocket, where is it?", ""),
    ],
)
async def test_what_no_memory_tells(rig: RecallRig, kept: str, question: str, told: str) -> None:
    """MEM-07 S000-34: a memory that says something of the question answers it, cited; else the answer is not_found."""
    await rig.add("jazz", kept, user="林")
    result = await Reader(rig).ask(question, remember=False, toolkits=["memory"])
    assert "recall_memories" in {call["tool"] for call in result["tool_calls"]}
    if told:
        assert told in result["answer"] and [one["evidence"] for one in result["citations"]] == ["jazz"]
    else:
        assert result["answer"].startswith(("抱歉，未能找到相关信息。", "Sorry, no relevant information was found."))
        assert result["citations"] == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("我们上次聊过，恰斯卡在哪里遇见了卡齐娜？", "集市"),
        ("我之前说我的自行车是什么颜色？", ""),
        ("我之前说我最喜欢的茶是什么？", "龙井"),
    ],
)
async def test_memories_beside_a_story(rig: RecallRig, question: str, told: str) -> None:
    """MEM-07 LOP-08: memories first; a story answers for its own people, never for what its reader said."""
    await rig.add("tea", "我最喜欢的茶是龙井。", user="林")
    result = await Reader(rig).ask(question, remember=False, toolkits=["memory", "narrative"])
    assert result["tool_calls"][0]["tool"] == "recall_memories"
    assert told in result["answer"].splitlines()[0] if told else result["answer"] == "抱歉，未能找到相关信息。"


async def test_memories_alone_need_no_library(rig: RecallRig) -> None:
    """MEM-01 MEM-07 STO-19: memories are asked and kept beside no story; only a spoiler guard needs its library."""
    reader = Reader(rig)
    alone: dict[str, Any] = {"toolkits": ["memory"], "library": "nowhere"}
    (kept,) = (await reader.ask("我最喜欢的人物是卡齐娜。", **alone))["remembered"]
    result = await reader.ask("按照我之前说的，我最喜欢的人物是谁？第3章呢？", thread="later", **alone)
    assert [one["evidence"] for one in result["citations"]] == [kept["memory_key"]] and result["passed"]
    with pytest.raises(LibraryNotFound):
        await reader.ask("我最喜欢的人物是谁？", thread="guarded", as_of_chapter=3, **alone)


async def test_spoilers_stay_hidden(rig: RecallRig) -> None:
    """STO-19: what a turn without a guard told of the story is not recalled by a reader of earlier chapters."""
    reader = Reader(rig)
    (kept,) = (await reader.ask("玛薇卡与谁守住了边境？"))["remembered"]
    guarded = await reader.recall.ask("玛薇卡与谁守住了边境？", user="林", library=LIBRARY, horizon=Horizon(1, 1))
    assert guarded.record["memories"] == []
    args = {"memory_key": kept["memory_key"]}
    seen = {"user_id": "林", "library": LIBRARY}
    assert not (await reader.recall.tool("get_memory_detail", args, **seen, horizon=Horizon(1, 1)))["success"]
    assert (await reader.recall.tool("get_memory_detail", args, **seen))["success"]


async def test_without_a_user(rig: RecallRig) -> None:
    """MEM-02 PLA-01: nobody's turn is kept, and the result says so."""
    result = await Reader(rig).ask("恰斯卡在哪里遇见了卡齐娜？", user=None)
    assert result["remembered"] == [] and result["warning"] == "没有 user_id，这一轮没有记住。"


async def test_who_watches(rig: RecallRig) -> None:
    """S003-23 S003-26: the stream tells the steps of a recall and what was kept; the trace and its time line too."""
    reader = Reader(rig)
    await reader.ask("我最喜欢的人物是卡齐娜。")
    await reader.world.stock()
    given: Any = {"messages": [{"role": "user", "content": "我之前说我最喜欢的人物是谁？"}]}
    stream = reader.graph.astream(given, config("t9"), context=run_context(user_id="林", **OPEN), stream_mode="custom")
    told = [chunk async for chunk in stream]
    steps = [one["tool"] for one in told if one["event"] == "recall"]
    assert steps == ["search_memories", "handoff"] and {one["call"] for one in told if one["event"] == "recall"} == {1}
    assert told[-1] == {"event": "memory", "kept": []}
    trace = reader.traces.records[-1]
    assert [one["tool"] for one in trace["attempts"][0]["tool_calls"][0]["steps"]] == steps
    lines = [line.text for line in timeline(trace)]
    assert any(line.strip().startswith("· search_memories(") for line in lines)
    first = reader.traces.records[0]
    assert any(line.text.startswith("记忆 kept：我最喜欢的人物是卡齐娜。") for line in timeline(first))


def test_lines_of_an_answer() -> None:
    """MEM-01: a person reads what was kept, known already, or took another's place."""
    row = {"memory_key": "k2", "summary": "喜欢茶", "memory_type": "user_preference", "supersedes": ["k1"]}
    record = {
        "answer": "好",
        "language": "zh",
        "question": "好",
        "remembered": [{**row, "outcome": o} for o in ("kept", "known", "superseded")],
    }
    assert [line.text for line in remembered_lines(record)] == [
        "已记住：喜欢茶（k2）",
        "此前已记住：喜欢茶（k2）",
        "已更新记忆：喜欢茶（k2，取代 k1）",
    ]


def test_context_fields() -> None:
    """PLA-08 LOP-01: the new fields are checked like the others; rag mode has no memories."""
    context = context_from({"remember": True, "permissions": ["sensitive_memory"], "toolkits": ["memory"]})
    assert context.remember and context.permissions == ["sensitive_memory"]
    for wrong in ({"remember": "yes"}, {"permissions": "all"}, {"toolkits": ["memories"]}):
        with pytest.raises(InputError, match=rf"context\.{next(iter(wrong))}"):
            context_from(wrong)
    with pytest.raises(InputError, match=r"context\.toolkits: rag"):
        context_from({"mode": "rag", "toolkits": ["narrative", "memory"]})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("按照我之前的数据库配置来", True),
        ("上次说的那个方案", True),
        ("我之前让你做的那个东西", True),
        ("我最喜欢的人物是谁？", True),
        ("As I told you, who is my favourite?", True),
        ("What did we decide last time?", True),
        ("我最喜欢的人物是卡齐娜。", False),
        ("卡齐娜之前在哪里比赛？", False),
        ("按照我国的习俗是什么？", False),
        ("书里的我叫什么名字？", False),
        ("书里我住在哪里？", False),
        ("书里我最喜欢的人物是谁？", True),
        ("“我住在东街”是谁说的？", False),
        ('Who said "What am I to do?"', False),
        ("In the book, what is my name?", False),
        ("What is my name?", True),
        ("Who did Ada meet before the storm?", False),
    ],
)
async def test_leaning_on_earlier_talk(question: str, expected: bool) -> None:
    """MEM-07: the offline planner recalls where a question speaks of earlier talk, and only there."""
    called = await calls_of(question, toolkits=["narrative", "memory"])
    assert (("recall_memories", {"query": question}) in called) is expected


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("我叫林晚。我住在杭州。", [("fact", "name"), ("fact", "home")]),
        ("I live in Oslo.", [("fact", "home")]),
        ("我不喜欢剧透", [("preference", None)]),
        ("以后都用英文回答我。", [("preference", None)]),
        ("我们决定先读第二部", [("decision", None)]),
        ("我喜欢谁？", []),
        ("卡齐娜喜欢什么？", []),
        ("请记住我对花生过敏。", [("preference", None)]),
        ("From now on answer in English.", [("preference", None)]),
        ("我和妹妹约定明年去北京。", [("decision", None)]),
        ("曹操决定攻打徐州。", []),
        ("曹操记住了这件事。", []),
        ("三年以后他死了。", []),
        ("我爱罗是砂隐村的人。", []),
        ("书上写着“我叫沈默。我爱喝茶。”。", []),
        ("我爱喝茶。", [("preference", None)]),
    ],
)
async def test_statements_by_rule(said: str, kinds: list[tuple[str, str | None]]) -> None:
    """LOP-09: the offline learner keeps the user's own plain words, and nothing of a question."""
    request = LearnRequest(question=said, resolved=said, answer="", known=[], language="zh", names=["我爱罗"])
    learner = (await mind_of()).learner
    lessons = await learner.learn(request)
    assert [(one.kind, one.slot) for one in lessons] == kinds
    assert [one.content for one in await learner.learn(replace(request, answer="答"))][: len(kinds)] == [
        one.content for one in lessons
    ]


async def test_a_name_of_the_library_is_no_user() -> None:
    """LOP-09: what stands within a name (我爱…) is not said by the user."""
    request = LearnRequest(question="我喜欢你决定出发。", resolved="", answer="", known=[], language="zh")
    assert [one.kind for one in await (await mind_of()).learner.learn(request)] == ["preference"]
    assert await (await mind_of()).learner.learn(replace(request, names=["我喜欢你"])) == []


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("记住我喜欢简短的回答。", "记忆没有打开"),
        ("请记住：以后都用英文回答我", "记忆没有打开"),
        ("Remember that I prefer short answers.", "Memory is off"),
        ("Please remember my name is Ada", "Memory is off"),
    ],
)
async def test_a_wish_to_be_remembered_without_memory(rig: RecallRig, wish: str, said: str) -> None:
    """MEM-01: nothing is searched for it; the answer says that nothing was kept, and how it can be."""
    reader = Reader(rig)
    result = await reader.ask(wish, toolkits=["narrative"], remember=False)
    assert result["answer"].startswith(said) and "--remember" in result["answer"] and "\n" not in result["answer"]
    assert (result["status"], result["tool_calls"], result["remembered"]) == ("chat", [], [])
    kept = await reader.ask(wish, "t2")
    assert kept["remembered"] and "--remember" not in kept["answer"]


@pytest.mark.parametrize(
    "asked", ["记住的人是谁？", "记住火神名字的人是谁", "Remember that scene in Natlan", "你记住了吗？"]
)
async def test_a_question_with_the_word_is_no_such_wish(rig: RecallRig, asked: str) -> None:
    result = await Reader(rig).ask(asked, toolkits=["narrative"], remember=False)
    assert "--remember" not in result["answer"]


async def test_a_statement_is_acknowledged_for_what_was_done(rig: RecallRig) -> None:
    """LOP-23: kept, known already, or not kept; never looked up, never refused."""
    reader, said = Reader(rig), "我昨天把自行车卖了。"
    kept = await reader.ask(said)
    assert (kept["status"], kept["answer"], kept["tool_calls"]) == ("chat", f"记下了：\n- {said}", [])
    assert [row["outcome"] for row in kept["remembered"]] == ["kept"]
    assert [memory.content for memory in await stored(rig)] == [said]
    known = await reader.ask(said, thread="t2")
    assert known["answer"].startswith("这件事之前已经记下了") and len(await stored(rig)) == 1
    off = await reader.ask("I sold my bike yesterday.", remember=False)
    assert (off["status"], off["remembered"]) == ("chat", []) and off["answer"].startswith("Memory is off: nothing was")
    nobody = await reader.ask("I sold my bike yesterday.", user=None, thread="t3")
    assert (nobody["status"], nobody["answer"]) == ("chat", "There is no user_id: nothing of this turn was kept.")
    assert len(await stored(rig)) == 1 and reader.traces.records[0]["remembered"] == kept["remembered"]


async def test_what_is_to_be_forgotten_is_deleted_if_it_is_found(rig: RecallRig) -> None:
    """LOP-23: memories with all words of the request, of this user alone; else nothing is deleted, and that is said."""
    reader = Reader(rig)
    for key, text in (("bike", "我昨天把自行车卖了。"), ("nut", "我对花生过敏。"), ("cat", "我养了一只猫。")):
        await rig.add(key, text, user="林")
    await rig.add("theirs", "我有一辆自行车。", user="乙")
    done = await reader.ask("忘掉我说过的自行车。", remember=False, toolkits=["memory"])
    assert done["status"] == "chat" and done["answer"].startswith("已忘掉：我说过的自行车（1 条记忆）")
    assert "卖" not in str(done["remembered"])
    assert [(row["memory_key"], row["outcome"]) for row in done["remembered"]] == [("bike", "forgotten")]
    again = await reader.ask("忘掉我说过的自行车。", thread="t2")
    assert again["answer"].startswith("没有记忆说到这件事") and again["remembered"] == []
    for vague in ("忘掉我说过的一切。", "请忘掉我对芒果过敏的事。", "Forget everything I told you."):
        assert (await reader.ask(vague, thread=vague))["remembered"] == []
    assert {memory.memory_key for memory in await stored(rig)} == {"nut", "cat"}
    off = await reader.ask("忘掉我的猫。", remember=False)
    assert off["answer"].startswith("记忆没有打开：没有查找") and len(await stored(rig)) == 2
    assert (await reader.ask("忘掉我的猫。", thread="t4"))["remembered"][0]["memory_key"] == "cat"
    assert len(await stored(rig, "乙")) == 1


async def test_a_store_that_is_down_keeps_nothing_and_says_so(rig: RecallRig) -> None:
    """LOP-23: what was not kept is not called kept."""
    reader = Reader(rig)

    async def refuse(*_: object) -> None:
        raise StoreGone("磁盘已满")

    service = replace(reader.recall.memories.service, embedder=reader.recall.embedder)
    reader.recall.embedder.embed_passages = refuse  # type: ignore[assignment,method-assign]  # the fake, for one test
    assert service.embedder is reader.recall.embedder
    result = await reader.ask("我昨天把自行车卖了。")
    assert (result["status"], result["remembered"]) == ("chat", []) and "磁盘已满" in result["answer"]
