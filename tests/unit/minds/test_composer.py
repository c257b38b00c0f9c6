"""The draft of an attempt, put together as the question asks for it."""

from collections.abc import Sequence
from typing import Any

import pytest

from nodes.prompts.planner import UNNAMED, user_text
from nodes.results.citations import marked_text
from nodes.roles import AnswerReader
from state.schema import Evidence
from tests.graph.rig import piece
from tests.unit.minds.rooms import Fetched, planned
from tests.unit.minds.scripted import ScriptedReader
from tests.unit.tools.world import LIBRARY, World
from tools.records import Horizon
from tools.story.linking import EntityLinker
from wenmai.minds.offline.composer import MOST_CHUNKS, Composer
from wenmai.minds.offline.questions.question import understood
from wenmai.minds.offline.ranker import ReadingRanker
from wenmai.minds.offline.wordings import say

SURE, UNSURE = 20.0, -20.0
NOT_FOUND = user_text("not_found", "zh")
SPEECH = "门开了。“铃响了没有？”恰斯卡问。没有人回答她。"
PARTS = ScriptedReader({word: {word: SURE} for word in ("获得", "落败")})
CONNECTION = ("find_connection", {"entity1": "恰斯卡", "entity2": "卡齐娜"})


async def told(
    text: str,
    evidence: list[Evidence],
    words: dict[str, float] | AnswerReader | None,
    world: World | None = None,
    people: Sequence[str] = (),
    **fields: Any,
) -> str:
    """Return the draft of a reader, or of one that finds these words; None stands for no reader."""
    world = await (world or World()).stock()
    linker = EntityLinker(world.graph)
    reader = ScriptedReader(words) if isinstance(words, dict) else words
    ranker, names = ReadingRanker(linker, world.passages, world.embedder), ScriptedReader(people=people)
    composer = Composer(ranker, lambda: reader, lambda: names)
    table = await linker.table(LIBRARY, None)
    request = planned(text, draft_only=True, evidence=evidence, **fields)
    draft = await composer.draft(request, understood(text, table), table)
    return marked_text(draft["sentences"], evidence)


async def test_the_sentence_that_the_reader_points_at_is_the_answer() -> None:
    evidence = [piece("天亮了。", 1), piece("卡齐娜终于获得了自己的古名。她笑了。", 2)]

    assert await told("卡齐娜得到了什么？", evidence, {"古名": SURE}) == "卡齐娜终于获得了自己的古名。 [E2]"


async def test_where_nothing_answers_surely_the_draft_is_a_refusal() -> None:
    evidence = [piece("卡齐娜终于获得了自己的古名。", 1)]

    assert await told("卡齐娜几岁？", evidence, {"古名": UNSURE}) == NOT_FOUND
    assert await told("卡齐娜几岁？", [], {}) == NOT_FOUND


async def test_the_sentence_that_says_who_spoke_is_quoted() -> None:
    text = await told("“铃响了没有？”是谁问的？", [piece("别的话。", 1), piece(SPEECH, 2)], {"恰斯卡": SURE})

    line, _, mark = text.rpartition(" ")
    assert mark == "[E2]" and line in SPEECH and "恰斯卡" in line


async def test_a_text_that_names_no_speaker_is_said_to_name_none() -> None:
    text = await told("“铃响了没有？”是谁问的？", [piece(SPEECH, 1)], {"恰斯卡": UNSURE})

    first, also = text.splitlines()
    assert first == NOT_FOUND + say("reading.no_speaker", "zh")
    assert also.startswith(say("reading.see", "zh")) and also.endswith("[E1]")


async def test_a_person_whom_the_book_does_not_name_is_refused_by_name_but_under_a_guard() -> None:
    """Of one who is only not met yet no more is said."""
    evidence = [piece("卡齐娜终于获得了自己的古名。", 1)]
    who: dict[str, Any] = {"people": ["王大锤"], "library": LIBRARY}

    more = UNNAMED["zh"].format(name="王大锤")
    assert await told("王大锤在哪里？", evidence, {}, **who) == NOT_FOUND + more
    assert await told("王大锤在哪里？", evidence, {}, horizon=Horizon(1, 1), **who) == NOT_FOUND


async def test_words_that_nobody_said_have_no_speaker() -> None:
    assert await told("“天塌下来了”是谁说的？", [piece(SPEECH, 1)], {"恰斯卡": SURE}) == NOT_FOUND


async def test_a_question_that_quotes_words_of_no_passage_is_refused() -> None:
    """What the passages say of other words would be no answer."""
    evidence = [piece(SPEECH, 1)]

    assert await told("为什么说“天塌下来了大家快跑”？", evidence, {"恰斯卡": SURE}) == NOT_FOUND
    assert await told("为什么说“铃响了没有？”？", evidence, {"恰斯卡": SURE}) != NOT_FOUND


async def test_events_are_told_in_the_order_of_the_story() -> None:
    evidence = [piece("卡齐娜终于获得了古名。", 6), piece("卡齐娜在比赛中落败。", 4)]

    text = await told("获得古名、比赛落败，哪个在先？", evidence, PARTS)

    assert text == "先是：卡齐娜在比赛中落败。 [E2]\n然后：卡齐娜终于获得了古名。 [E1]"


async def test_events_of_one_passage_are_told_in_its_order() -> None:
    evidence = [piece("卡齐娜在比赛中落败，三天后终于获得了古名。", 4)]

    text = await told("获得古名、比赛落败，哪个在先？", evidence, PARTS)

    assert text == "卡齐娜在比赛中落败，三天后终于获得了古名。 [E1]"


async def test_of_events_that_the_story_does_not_tell_no_order_is_told() -> None:
    """The reader points at something in every passage, however unlikely."""
    evidence = [piece("卡齐娜终于获得了古名。", 6), piece("卡齐娜在比赛中落败。", 4)]

    assert await told("火箭发射、股市崩盘，哪个在先？", evidence, {}) == NOT_FOUND


async def test_where_one_of_the_events_is_not_found_no_order_is_told() -> None:
    text = await told("获得古名、比赛落败，哪个在先？", [piece("卡齐娜获得了古名。", 1)], PARTS)

    assert text == NOT_FOUND


async def test_the_relation_of_two_people_is_what_joins_them_in_the_graph() -> None:
    world = World()
    evidence = await Fetched(world)(("lookup_knowledge", {"entity": "玛薇卡"}), CONNECTION)

    first, *_ = (await told("恰斯卡和卡齐娜是什么关系？", evidence, {}, world)).splitlines()

    number = int(first.rpartition("[E")[2].rstrip("]"))
    assert evidence[number - 1]["kind"] == "relation"
    assert first.startswith("恰斯卡 → 卡齐娜")


async def test_edges_to_others_do_not_answer_what_joins_two_people() -> None:
    world = World()
    evidence = await Fetched(world)(("lookup_knowledge", {"entity": "玛薇卡"}))

    assert await told("恰斯卡和卡齐娜是什么关系？", evidence, {"玛薇卡": SURE}, world) == NOT_FOUND


async def test_a_history_is_told_in_the_order_of_the_story() -> None:
    evidence = [piece("卡齐娜获得了古名。", 6), piece("卡齐娜在比赛中落败。", 4)]

    text = await told("卡齐娜经历了什么？", evidence, {"获得": SURE, "落败": SURE})

    assert text.splitlines() == ["卡齐娜在比赛中落败。 [E2]", "卡齐娜获得了古名。 [E1]"]


async def test_without_a_reader_sentences_are_picked_by_their_words_and_a_note_says_so() -> None:
    *lines, note = (await told("卡齐娜获得了什么古名？", [piece("天亮了。卡齐娜获得了古名。", 1)], None)).splitlines()

    assert lines == ["卡齐娜获得了古名。 [E1]"] and note == say("reading.no_reader", "zh")


async def test_a_refusal_without_a_reader_has_no_note() -> None:
    assert await told("谁在悬崖边争吵？", [piece("天亮了。", 1)], None) == NOT_FOUND


async def test_a_memory_answers_what_leans_on_earlier_talk_and_a_story_does_not() -> None:
    memory: Evidence = {**piece("用户最喜欢卡齐娜。", 1), "kind": "memory", "score": 0.9}
    passage = piece("恰斯卡喜欢谁？她喜欢飞行。", 2)

    kits = ["narrative", "memory"]

    assert (
        await told("上次我说最喜欢谁？", [passage, memory], {"卡齐娜": SURE}, toolkits=kits)
        == "用户最喜欢卡齐娜。 [E2]"
    )
    assert await told("上次我说最喜欢谁？", [passage], {"飞行": SURE}, toolkits=kits) == NOT_FOUND


@pytest.mark.parametrize("kits", [["narrative"], ["narrative", "memory"]])
@pytest.mark.parametrize("question", ["书里的我住在哪里？", "“我住在东街”是谁说的？"])
async def test_what_a_story_says_of_itself_is_not_asked_of_memories(question: str, kits: list[str]) -> None:
    evidence = [piece("“我住在东街。”沈默说。", 1)]
    reader = ScriptedReader({"的我": {"东街": SURE}, "谁说": {"沈默": SURE}})

    assert (await told(question, evidence, reader, toolkits=kits)).endswith("[E1]")


async def test_without_memories_a_story_may_answer_what_a_user_asks() -> None:
    assert await told("我住在哪里？", [piece("我住在东街。", 1)], {"东街": SURE}) == "我住在东街。 [E1]"


async def test_the_book_itself_is_told_from_its_chapters() -> None:
    world = World()
    evidence = await Fetched(world)(("list_characters", {}))

    text = await told("主要人物有谁？", evidence, {}, world)

    assert text.startswith("主要人物有") and "卡齐娜" in text.splitlines()[0]


async def test_documents_do_not_crowd_out_the_story() -> None:
    chunks: list[Evidence] = [
        {**piece(f"卡齐娜的古名{number}。", number), "kind": "document", "score": 1.0, "source": "a.txt"}
        for number in range(1, MOST_CHUNKS + 6)
    ]
    passage = piece("她终于获得了名字。", len(chunks) + 1)

    assert await told("卡齐娜的古名怎么来的？", [*chunks, passage], {"获得": SURE}) == (
        f"她终于获得了名字。 [E{len(chunks) + 1}]"
    )
