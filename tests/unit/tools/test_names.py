"""Entity arguments: exact name, exact alias, no guess."""

from dataclasses import replace

import pytest

from tests.unit.tools.world import LIBRARY, World, text_of
from tools.base import Scope
from tools.errors import ArgumentError
from tools.records import Entity, Horizon
from tools.story.names import EntityNames, ResolvedName, report, spelling_key

SCOPE = Scope(library=LIBRARY)


async def resolve(text: str, scope: Scope = SCOPE) -> str:
    return (await EntityNames((await World().stock()).graph).resolve(text, scope)).name


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("玛薇卡", "玛薇卡"),
        ("火神", "玛薇卡"),
        ("玛 薇 卡", "玛薇卡"),
        ("KACHINA", "卡齐娜"),
        ("Ｋａｃｈｉｎａ", "卡齐娜"),
        ("玛薇", "玛薇"),
        ("张三", "张三"),
    ],
)
async def test_resolution(given: str, wanted: str) -> None:
    """STO-07: canonical name, then alias, NFKC, case and blanks ignored; an unknown name stays as given."""
    assert await resolve(given) == wanted


async def test_ambiguous_alias_is_an_error_that_lists_the_entities() -> None:
    """STO-07: an alias of several entities is never guessed."""
    with pytest.raises(ArgumentError, match="恰斯卡、玛薇卡"):
        await resolve("战神")


async def test_alias_is_unambiguous_before_the_second_bearer_appears() -> None:
    """STO-07 STO-19: candidates beyond the horizon do not exist."""
    assert await resolve("战神", replace(SCOPE, horizon=Horizon(1, 1))) == "恰斯卡"
    assert await resolve("火神", replace(SCOPE, horizon=Horizon(1, 1))) == "火神"


async def test_canonical_name_wins_over_an_alias() -> None:
    """STO-07: exact canonical name first."""
    world = await World(entities=[Entity(name="龙"), Entity(name="阿尤", aliases=("龙",))]).stock()
    assert (await EntityNames(world.graph).resolve("龙", SCOPE)).name == "龙"


async def test_index_follows_the_store() -> None:
    """STO-07: names written later are seen."""
    world = await World().stock()
    names = EntityNames(world.graph)
    assert (await names.resolve("小不点", SCOPE)).name == "小不点"
    await world.graph.put_entities(LIBRARY, [Entity(name="阿尤", aliases=("小不点",))])
    assert (await names.resolve("小不点", SCOPE)).name == "阿尤"


def test_report_line() -> None:
    """STO-07: only what changed is reported."""
    assert report([ResolvedName("火神", "玛薇卡")]) == "已解析: 火神 -> 玛薇卡"
    assert report([ResolvedName("阿尤", "阿尤"), None]) == ""
    assert spelling_key("　Ｋa ch\tina ") == "kachina"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vector_search", {"query": "圣火", "entity_filter": "火神"}),
        ("graph_search", {"entity": "火神"}),
        ("track_entity", {"entity": "火神"}),
        ("lookup_knowledge", {"entity": "火神"}),
        ("find_connection", {"entity1": "火神", "entity2": "卡齐娜"}),
        ("track_journey", {"entity": "火神"}),
        ("track_journey", {"entity": "恰斯卡", "target": "火神"}),
        ("get_character_events", {"entity": "火神"}),
        ("list_characters", {"names": ["火神"]}),
        ("search_memory", {"query": "圣火", "characters": ["火神"]}),
    ],
)
async def test_every_entity_argument_is_resolved(tool: str, arguments: dict[str, object]) -> None:
    """STO-07 S000-42: the first line reports the resolution, in every tool."""
    outcome = await World().call(tool, **arguments)
    assert text_of(outcome).splitlines()[0] == "已解析: 火神 -> 玛薇卡"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("vector_search", {"query": "圣火", "entity_filter": "战神"}),
        ("graph_search", {"entity": "战神"}),
        ("track_entity", {"entity": "战神"}),
        ("lookup_knowledge", {"entity": "战神"}),
        ("find_connection", {"entity1": "卡齐娜", "entity2": "战神"}),
        ("track_journey", {"entity": "卡齐娜", "target": "战神"}),
        ("get_character_events", {"entity": "战神"}),
        ("list_characters", {"names": ["战神"]}),
        ("search_memory", {"query": "圣火", "characters": ["战神"]}),
    ],
)
async def test_ambiguity_is_an_error_in_every_tool(tool: str, arguments: dict[str, object]) -> None:
    """STO-07 PLA-07: an error result that lists the candidates."""
    outcome = await World().call(tool, **arguments)
    assert not outcome.ok and "恰斯卡、玛薇卡" in (outcome.error or "")
