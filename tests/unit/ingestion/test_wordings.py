"""Sixty plain sentences in modern and classical Chinese and in English: thirty that state something, and thirty that
differ from such a one by little and state nothing.
"""

from pathlib import Path

import pytest

from tests.statements import stated

Relation = tuple[str, str, str, str]
Event = tuple[str, str, str]

RELATIONS: list[Relation] = [
    ("恰斯卡今年二十岁，在花羽会做了六年学徒。", "恰斯卡", "MEMBER_OF", "花羽会"),
    ("基尼奇住在悬木城。他是花羽会的厨子，常常忘记放盐。", "基尼奇", "MEMBER_OF", "花羽会"),
    ("花羽会的伊法推门进来，把帽子挂好。", "伊法", "MEMBER_OF", "花羽会"),
    ("玛拉妮从小没有父母，二十岁了，如今住在流泉镇。", "玛拉妮", "LOCATED_IN", "流泉镇"),
    ("“天快黑了。”恰斯卡对卡齐娜说。", "恰斯卡", "INTERACTS_WITH", "卡齐娜"),
    ("“卡齐娜，”恰斯卡放下碗，“你该走了。”", "恰斯卡", "INTERACTS_WITH", "卡齐娜"),
    ("“我有两个儿子，”玛拉妮擦了擦手，“大的叫基尼奇，小的叫伊法。”", "伊法", "FAMILY_OF", "玛拉妮"),
    ("第二年春天，玛拉妮和伊法成了亲。", "玛拉妮", "FAMILY_OF", "伊法"),
    ("曹操谓许攸曰：“城中粮少。”", "曹操", "INTERACTS_WITH", "许攸"),
    ("马超娶许攸之女。", "马超", "FAMILY_OF", "许攸"),
    ("颜良，曹操之甥也。", "颜良", "FAMILY_OF", "曹操"),
    ("马超师事许攸。", "马超", "PARTNER_OF", "许攸"),
    ("颜良事曹操，甚谨。", "颜良", "MEMBER_OF", "曹操"),
    ("“Lucy,” said Henry, “sit down.”", "Henry", "INTERACTS_WITH", "Lucy"),
    ("Henry told Lucy about the sea.", "Henry", "INTERACTS_WITH", "Lucy"),
    ("Margaret taught Lucy to read.", "Lucy", "PARTNER_OF", "Margaret Hall"),
    ("Henry served under Thomas.", "Henry", "MEMBER_OF", "Thomas Grey"),
    ("Lucy's uncle, old Henry, came in.", "Henry", "FAMILY_OF", "Lucy"),
]
EVENTS: list[Event] = [
    ("基尼奇一拳打过去，门板裂了。", "conflict", "基尼奇"),
    ("屋梁倒下来，砸在卡齐娜的腿上。", "loss", "卡齐娜"),
    ("恰斯卡用自己的身体挡住了那支箭。", "sacrifice", "恰斯卡"),
    ("玛拉妮终于把真相说了出来。", "revelation", "玛拉妮"),
    ("第二天，基尼奇和伊法又到流泉镇去。", "milestone", "基尼奇"),
    ("第二年春天，玛拉妮同伊法结了婚。", "milestone", "玛拉妮"),
    ("马超奔许昌。", "milestone", "马超"),
    ("曹操以宝剑赐关羽。", "acquisition", "关羽"),
    ("颜良中箭，负伤而走。", "loss", "颜良"),
    ("马超大破曹操。", "conflict", "马超"),
    ("Henry was badly wounded.", "loss", "Henry"),
    ("Thomas shielded Lucy with his own body.", "sacrifice", "Thomas Grey"),
    ("Henry learned the truth at last.", "revelation", "Henry"),
    ("Thomas took Lucy to London.", "milestone", "Thomas Grey"),
]
NEAR_MISSES = [
    "恰斯卡想在花羽会做学徒。",
    "玛拉妮和伊法成了亲家。",
    "花羽会的伊法的帽子还挂在墙上。",
    "花羽会的恰斯卡会来吗？",
    "玛拉妮不住在流泉镇。",
    "恰斯卡对卡齐娜的事一点也不知道。",
    "恰斯卡想起了“卡齐娜”这个名字。",
    "玛拉妮梦见自己有两个儿子，大的叫基尼奇。",
    "基尼奇差点一拳打过去。",
    "屋梁险些砸在卡齐娜的腿上。",
    "恰斯卡没有用身体挡住那支箭。",
    "玛拉妮不肯把真相说出来。",
    "基尼奇说：“要是我到流泉镇去，你怎么办？”",
    "曹操欲谓许攸曰：“粮少。”",
    "马超未娶许攸之女。",
    "颜良非曹操之甥也。",
    "马超欲师事许攸。",
    "颜良不事曹操。",
    "马超欲奔许昌。",
    "曹操未尝以宝剑赐关羽。",
    "若马超大破曹操，天下未可知也。",
    "颜良恐马超大破曹操。",
    "Henry never told Lucy about the sea.",
    "Margaret would have taught Lucy to read.",
    "Henry might have served under Thomas.",
    "Lucy's uncle's friend Henry came in.",
    "Was Henry badly wounded?",
    "Thomas did not shield Lucy with his own body.",
    "Perhaps Henry learned the truth.",
    "Thomas wanted to take Lucy to London.",
    "If Henry was wounded, Lucy must go.",
]


async def test_sentences_that_state_a_relation(tmp_path: Path) -> None:
    relations, _ = await stated(tmp_path, [sentence for sentence, *_ in RELATIONS])
    missed = [
        row[0]
        for chapter, row in enumerate(RELATIONS, 1)
        if not any((one.source, one.type, one.target) == row[1:] for one in relations.get(chapter, []))
    ]
    assert not missed


async def test_sentences_that_state_an_event(tmp_path: Path) -> None:
    _, events = await stated(tmp_path, [sentence for sentence, *_ in EVENTS])
    missed = [
        row[0]
        for chapter, row in enumerate(EVENTS, 1)
        if not any((one.event_type, one.primary_character) == row[1:] for one in events.get(chapter, []))
    ]
    assert not missed


@pytest.mark.parametrize("sentence", NEAR_MISSES)
async def test_a_near_miss_states_nothing(sentence: str, tmp_path: Path) -> None:
    relations, events = await stated(tmp_path, [sentence])
    assert not relations
    assert not events
