"""The spoiler guard of a turn: which part it means, who is told, and what of the talk before it hides."""

from typing import Any

import pytest

from tests.fakes import FakeCatalog
from tests.graph.rig import LIBRARY, Rig, ScriptedPlanner, says, search
from tools.records import Chapter, LibraryInfo

ANSWER = "卡齐娜获得了古名。[E1]"


async def volumes() -> FakeCatalog:
    """Return a catalog with a book of two volumes, over which chapters count on."""
    catalog = FakeCatalog(LibraryInfo(name=LIBRARY, title="原神", embedder="fake", dimension=32))
    for part, number in ((1, 1), (1, 2), (2, 3), (2, 4)):
        chapter = Chapter(
            library=LIBRARY, task_id="b", part=part, number=number, title="", text="", digest="", order=number
        )
        await catalog.put_chapter(chapter, [])
    return catalog


@pytest.mark.parametrize(
    ("guard", "meant"),
    [
        ({"as_of_chapter": 4}, {"part": 2, "chapter": 4}),
        ({"as_of_chapter": 2}, {"part": 1, "chapter": 2}),
        ({"as_of_chapter": 4, "as_of_part": 1}, {"part": 1, "chapter": 4}),
        ({}, None),
    ],
)
async def test_the_graph_itself_decides_which_part_is_meant(
    guard: dict[str, Any], meant: dict[str, int] | None
) -> None:
    """STO-19: by one rule for every door; tools, result, trace and session have it."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER)]), catalog=await volumes())
    result = await rig.ask(**guard)
    horizon = rig.tools[0].history[0][1].horizon
    assert result["as_of"] == rig.traces.records[0]["as_of"] == meant
    assert rig.traces.records[0]["library"] == LIBRARY
    assert (horizon and {"part": horizon.part, "chapter": horizon.chapter}) == meant
    [turn] = (await rig.state())["session"]["turns"]
    assert turn.get("as_of") == (meant and [meant["part"], meant["chapter"]])


async def test_under_a_guard_a_recall_reads_no_answer_of_an_unguarded_turn() -> None:
    """STO-19: of the talk before it sees the user's words, and what was answered under the guard."""
    rig = Rig(planner=ScriptedPlanner([search(), says(ANSWER), search(), says(ANSWER), search(), says(ANSWER)]))
    await rig.ask("她的古名？")
    await rig.ask("还有呢？", as_of_chapter=3)
    await rig.ask("后来呢？", as_of_chapter=3)
    _, second, third = (scope.history for _, scope in rig.tools[0].history)
    assert [one["content"] for one in second] == ["她的古名？", "还有呢？"]
    assert [one["role"] for one in third] == ["user", "user", "assistant", "user"]
