"""Answers from memories: what the reader points at, else the surest one that has a word of the question."""

from state.schema import Evidence
from tests.graph.rig import piece
from tests.unit.minds.scripted import ScriptedReader
from wenmai.minds.offline.memories.earlier import remembered

SURE, UNSURE = 20.0, -20.0


def memory(text: str, score: float, number: int) -> tuple[int, Evidence]:
    kept: Evidence = {**piece(text, number), "kind": "memory", "score": score}
    return number, kept


MEMORIES = [memory("用户住在杭州。", 0.6, 1), memory("用户说过杭州的夏天很热。", 0.8, 3)]


async def test_what_the_reader_points_at_is_told() -> None:
    told = await remembered(ScriptedReader({"住在杭州": SURE}), "我之前说我住在哪个城市？", MEMORIES, "zh")

    assert told is not None and told.lines == ["用户住在杭州。 [E1]"] and told.probability > 0.9


async def test_else_the_surest_memory_with_a_word_of_the_question_is_told_whole() -> None:
    told = await remembered(ScriptedReader({"杭州": UNSURE}), "上次我说杭州怎么样？", MEMORIES, "zh")

    assert told is not None and (told.lines, told.probability) == (["用户说过杭州的夏天很热。 [E3]"], 0.8)


async def test_where_only_the_talk_itself_is_asked_for_any_memory_may_be_told() -> None:
    told = await remembered(ScriptedReader({}), "我们之前聊过什么？", MEMORIES, "zh")

    assert told is not None and (told.lines, told.probability) == (["用户说过杭州的夏天很热。 [E3]"], 0.8)


async def test_memories_of_other_things_tell_nothing() -> None:
    assert await remembered(ScriptedReader({"杭州": UNSURE}), "我之前说我的猫叫什么名字？", MEMORIES, "zh") is None
    assert await remembered(ScriptedReader({"杭州": SURE}), "我之前说我的猫叫什么名字？", [], "zh") is None
