"""Whose a pronoun is: by what a source calls people, by subject and object, and by who is named in between."""

from itertools import combinations
from pathlib import Path

import pytest

from tests.statements import stated
from wenmai.ingestion.names.genders import genders_of
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.sources.aliases import KnownName

CALLED = "恰斯卡推开门。她累了。\n\n基尼奇放下刀。他饿了。\n\n"


@pytest.mark.parametrize(
    ("text", "genders"),
    [
        (CALLED, {"恰斯卡": "f", "基尼奇": "m"}),
        ("王夫人来了。", {"王夫人": "f"}),
        ("恰斯卡走了，他不知道。\n恰斯卡走了，她不知道。\n", {}),
        ("“她走了。”恰斯卡说。", {}),
        (
            "恰斯卡推开门。她累了。\n\n伊法走近，看着她。\n伊法走近，看着她。\n伊法走近，他笑了。",
            {"恰斯卡": "f", "伊法": "m"},
        ),
    ],
)
def test_who_is_called_he_or_she(text: str, genders: dict[str, str]) -> None:
    everyone = [name for name in ("恰斯卡", "基尼奇", "伊法", "王夫人") if name in text]
    names = [KnownName(name=name, kind="Character", aliases=()) for name in everyone]
    found = genders_of([text], Namer.build(names, [text]))
    assert {name: gender for name, gender in found.items() if len(gender) == 1} == genders


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("基尼奇走进来。恰斯卡抱住了他。", ("恰斯卡", "基尼奇")),
        ("恰斯卡和卡齐娜看见了基尼奇。基尼奇推开门，带着他的弟弟伊法。", ("伊法", "基尼奇")),
        ("恰斯卡站在门口。\n\n她对基尼奇说：“坐。”", ("恰斯卡", "基尼奇")),
        ("基尼奇掏出一张图。\n\n“拿去。”他把图纸塞给了恰斯卡。", ("基尼奇", "恰斯卡")),
        ("卡齐娜笑了。她坐下。\n\n恰斯卡慢慢地把刀尖移到她的喉咙上。", ("恰斯卡", "卡齐娜")),
    ],
)
async def test_whose_a_pronoun_is(text: str, pair: tuple[str, str], tmp_path: Path) -> None:
    relations, _ = await stated(tmp_path, [f"{CALLED}{text}"])
    assert pair in {(one.source, one.target) for one in relations.get(1, [])}


@pytest.mark.parametrize(
    "text",
    [
        "恰斯卡看着门外。那个女人走进来，她抱住了基尼奇。",
        "恰斯卡和卡齐娜走进来。基尼奇抱住了她。",
        "基尼奇走进来，伊法推开门，他抱住了恰斯卡。",
    ],
)
async def test_an_unsure_pronoun_is_nobodys(text: str, tmp_path: Path) -> None:
    relations, _ = await stated(tmp_path, [f"{CALLED}卡齐娜笑了。她坐下。\n\n{text}"])
    assert not relations


async def test_three_who_swore_are_friends_of_each_other(tmp_path: Path) -> None:
    story = "恰斯卡坐下。\n\n基尼奇笑了。\n\n伊法剥了一只芋头。他们三个在石头上发过誓。"
    relations, _ = await stated(tmp_path, [f"{CALLED}{story}"])
    pairs = {frozenset((one.source, one.target)) for one in relations[1] if one.type == "FRIEND_OF"}
    assert pairs == {frozenset(pair) for pair in combinations(("恰斯卡", "基尼奇", "伊法"), 2)}


async def test_people_who_speak_in_turn(tmp_path: Path) -> None:
    once = "“来了？”恰斯卡说。\n\n“来了。”基尼奇说。\n\n"
    twice, single = f"{once}“坐。”恰斯卡说。\n", once
    relations, _ = await stated(tmp_path, [twice, single])
    assert [(one.type, {one.source, one.target}) for one in relations[1][:1]] == [
        ("INTERACTS_WITH", {"恰斯卡", "基尼奇"})
    ]
    assert 2 not in relations
