"""What plain sentences state, through an ingest: relations and events of every kind, in modern and classical Chinese
and in English; and what is denied, asked, supposed or threatened states nothing.
"""

from pathlib import Path

import pytest

from tests.shipped import shipped_reader
from tests.statements import stated

RELATIONS = {
    "FAMILY_OF": [
        ("恰斯卡是卡齐娜的姐姐。", "恰斯卡", "卡齐娜"),
        ("卡齐娜的父亲基尼奇在修船。", "基尼奇", "卡齐娜"),
        ("恰斯卡推开门。她的弟弟伊法已经睡了。", "伊法", "恰斯卡"),
        ("玛拉妮嫁给了伊法。", "玛拉妮", "伊法"),
        ("来者乃马腾之子马超。", "马超", "马腾"),
        ("马超，马腾之子也。", "马超", "马腾"),
        ("马腾有子，名马超。", "马超", "马腾"),
        ("Thomas Grey was the elder brother of Margaret Hall.", "Thomas Grey", "Margaret Hall"),
        ("Lucy, Thomas's only daughter, was eight.", "Lucy", "Thomas Grey"),
        ("Margaret married Thomas in May.", "Margaret Hall", "Thomas Grey"),
    ],
    "FRIEND_OF": [
        ("恰斯卡是卡齐娜的好朋友。", "恰斯卡", "卡齐娜"),
        ("恰斯卡和玛拉妮成了最要好的朋友。", "恰斯卡", "玛拉妮"),
        ("基尼奇见到了伊法。后来他们俩成了好兄弟。", "基尼奇", "伊法"),
        ("关羽与马超结为兄弟。", "关羽", "马超"),
        ("许攸与曹操有旧。", "许攸", "曹操"),
        ("马腾与马超交厚。", "马腾", "马超"),
        ("Henry was an old friend of Thomas.", "Henry", "Thomas Grey"),
        ("Henry had befriended Lucy.", "Henry", "Lucy"),
        ("Lucy and Margaret became close friends.", "Lucy", "Margaret Hall"),
    ],
    "ENEMY_OF": [
        ("恰斯卡是基尼奇的死对头。", "恰斯卡", "基尼奇"),
        ("从此恰斯卡和伊法结下了仇。", "恰斯卡", "伊法"),
        ("伊法出卖了玛拉妮。", "伊法", "玛拉妮"),
        ("关羽斩颜良于马下。", "关羽", "颜良"),
        ("颜良被关羽所杀。", "关羽", "颜良"),
        ("马超与曹操交战三十合。", "马超", "曹操"),
        ("Henry was the sworn enemy of Thomas.", "Henry", "Thomas Grey"),
        ("Thomas hated Henry.", "Thomas Grey", "Henry"),
        ("Henry betrayed Margaret.", "Henry", "Margaret Hall"),
    ],
    "PARTNER_OF": [
        ("玛拉妮是恰斯卡的师父。", "玛拉妮", "恰斯卡"),
        ("卡齐娜的徒弟伊法来了。", "伊法", "卡齐娜"),
        ("基尼奇拜伊法为师。", "基尼奇", "伊法"),
        ("马超师从马腾。", "马超", "马腾"),
        ("许攸收颜良为弟子。", "颜良", "许攸"),
        ("马超乃许攸之弟子。", "马超", "许攸"),
        ("Margaret is Lucy's governess.", "Margaret Hall", "Lucy"),
        ("Lucy was a pupil of Margaret.", "Lucy", "Margaret Hall"),
        ("Henry was apprenticed to Thomas.", "Henry", "Thomas Grey"),
    ],
    "MEMBER_OF": [
        ("基尼奇加入了花羽会。", "基尼奇", "花羽会"),
        ("伊法是花羽会的医生。", "伊法", "花羽会"),
        ("花羽会的侍卫长走了，花羽会的大副基尼奇没有动。", "基尼奇", "花羽会"),
        ("许攸径投曹操。", "许攸", "曹操"),
        ("曹操部将颜良来战。", "颜良", "曹操"),
        ("马超归顺了曹操。", "马超", "曹操"),
        ("Henry joined the East India Company.", "Henry", "East India Company"),
        ("Lucy, a clerk in the East India Company, smiled.", "Lucy", "East India Company"),
        ("Thomas had worked for the East India Company.", "Thomas Grey", "East India Company"),
    ],
    "LEADER_OF": [
        ("花羽会的会长恰斯卡站了起来。", "恰斯卡", "花羽会"),
        ("恰斯卡当上了花羽会的首领。", "恰斯卡", "花羽会"),
        ("悬木城城主基尼奇病了。", "基尼奇", "悬木城"),
        ("许昌太守颜良出城。", "颜良", "许昌"),
        ("马腾，许昌太守，年四十。", "马腾", "许昌"),
        ("马超统领花羽会。", "马超", "花羽会"),
        ("Thomas was the master of Greyhouse.", "Thomas Grey", "Greyhouse"),
        ("Henry, the director of the East India Company, came in.", "Henry", "East India Company"),
        ("Margaret became the head of Greyhouse.", "Margaret Hall", "Greyhouse"),
    ],
    "LOCATED_IN": [
        ("恰斯卡住在流泉镇。", "恰斯卡", "流泉镇"),
        ("卡齐娜定居在悬木城。", "卡齐娜", "悬木城"),
        ("伊法是流泉镇人。", "伊法", "流泉镇"),
        ("颜良镇守许昌。", "颜良", "许昌"),
        ("曹操领许昌。", "曹操", "许昌"),
        ("马超隐居于许昌。", "马超", "许昌"),
        ("Lucy lived in London.", "Lucy", "London"),
        ("Henry had settled in London.", "Henry", "London"),
        ("Thomas stayed at Greyhouse.", "Thomas Grey", "Greyhouse"),
    ],
}
EVENTS = {
    "loss": [
        ("基尼奇病死了。", "基尼奇"),
        ("伊法在夜里断了气。", "伊法"),
        ("恰斯卡被卡齐娜杀死了。", "恰斯卡"),
        ("颜良战死。", "颜良"),
        ("关羽斩颜良于马下。", "颜良"),
        ("马超被擒。", "马超"),
        ("Henry died at sea.", "Henry"),
        ("Thomas was murdered by Henry.", "Thomas Grey"),
        ("Henry killed Thomas.", "Thomas Grey"),
    ],
    "milestone": [
        ("卡齐娜出生了。", "卡齐娜"),
        ("玛拉妮和伊法成亲了。", "玛拉妮"),
        ("恰斯卡离开了流泉镇。", "恰斯卡"),
        ("基尼奇回到了悬木城。", "基尼奇"),
        ("卡齐娜在火堆旁发了誓。", "卡齐娜"),
        ("马超往许昌进发。", "马超"),
        ("曹操辞别马腾。", "曹操"),
        ("关羽对天发誓。", "关羽"),
        ("Lucy was born in winter.", "Lucy"),
        ("Henry left Greyhouse.", "Henry"),
        ("Henry sailed to London.", "Henry"),
        ("Margaret swore an oath.", "Margaret Hall"),
        ("Thomas married Margaret.", "Thomas Grey"),
    ],
    "encounter": [
        ("恰斯卡遇见了卡齐娜。", "恰斯卡"),
        ("玛拉妮和伊法重逢了。", "玛拉妮"),
        ("基尼奇在流泉镇碰到了伊法。", "基尼奇"),
        ("马超来见曹操。", "马超"),
        ("许攸拜见曹操。", "许攸"),
        ("关羽与马超结拜。", "关羽"),
        ("Henry met Lucy.", "Henry"),
        ("Thomas called on Margaret.", "Thomas Grey"),
        ("Lucy ran into Henry.", "Lucy"),
    ],
    "acquisition": [
        ("卡齐娜得到了一枚古名。", "卡齐娜"),
        ("玛拉妮继承了一座渔场。", "玛拉妮"),
        ("恰斯卡把银哨子交给了伊法。", "伊法"),
        ("曹操夺了荆州城池。", "曹操"),
        ("马超尽得西凉兵马。", "马超"),
        ("关羽缴获了粮草。", "关羽"),
        ("Lucy inherited the old house.", "Lucy"),
        ("Henry won a silver watch.", "Henry"),
        ("Thomas gave Lucy a silver watch.", "Lucy"),
    ],
    "conflict": [
        ("恰斯卡与基尼奇打了起来。", "恰斯卡"),
        ("卡齐娜打伤了伊法。", "卡齐娜"),
        ("玛拉妮扬手给了伊法一个耳光。", "玛拉妮"),
        ("关羽与颜良交锋。", "关羽"),
        ("曹操大战马超。", "曹操"),
        ("马超攻打曹操。", "马超"),
        ("Henry fought Thomas.", "Henry"),
        ("Thomas attacked Henry.", "Thomas Grey"),
        ("Margaret fired at Henry.", "Margaret Hall"),
    ],
}
NOTHING = [
    "恰斯卡不是卡齐娜的姐姐。",
    "恰斯卡是卡齐娜的姐姐吗？",
    "如果恰斯卡是卡齐娜的姐姐，就好了。",
    "听说恰斯卡是卡齐娜的姐姐。",
    "恰斯卡是卡齐娜的姐姐的邻居。",
    "恰斯卡的父亲死了。",
    "基尼奇差点死在流泉镇。",
    "伊法说：“基尼奇杀死了玛拉妮！”",
    "玛拉妮没有嫁给伊法。",
    "卡齐娜想去流泉镇。",
    "关羽欲斩颜良。",
    "曹操不投许攸。",
    "马超若遇见曹操，必杀之。",
    "许攸恐颜良来见曹操。",
    "Henry was not the brother of Thomas.",
    "Was Henry the brother of Thomas?",
    "Perhaps Henry was a friend of Thomas.",
    "If Henry died, Lucy was alone.",
    "Henry would marry Margaret.",
    "Henry's father died.",
]


@pytest.mark.parametrize("kind", RELATIONS)
async def test_sentences_that_state_a_relation(kind: str, tmp_path: Path) -> None:
    """The ends are canonical names in their direction, the evidence is verbatim."""
    rows = RELATIONS[kind]
    relations, _ = await stated(tmp_path, [sentence for sentence, _, _ in rows])
    for chapter, (sentence, *ends) in enumerate(rows, 1):
        found = [one for one in relations.get(chapter, []) if (one.type, one.source, one.target) == (kind, *ends)]
        assert found, sentence
        assert found[0].evidence in sentence


@pytest.mark.parametrize("kind", EVENTS)
async def test_sentences_that_state_an_event(kind: str, tmp_path: Path) -> None:
    """An event has its type, the person that it happens to, and verbatim evidence."""
    rows = EVENTS[kind]
    _, events = await stated(tmp_path, [sentence for sentence, _ in rows])
    for chapter, (sentence, person) in enumerate(rows, 1):
        found = [one for one in events.get(chapter, []) if (one.event_type, one.primary_character) == (kind, person)]
        assert found, sentence
        assert found[0].evidence in sentence


async def test_what_is_denied_asked_supposed_or_said_of_another_states_nothing(tmp_path: Path) -> None:
    relations, events = await stated(tmp_path, NOTHING)
    found = {NOTHING[chapter - 1] for chapter in (*relations, *events)}
    assert not found


async def test_a_text_without_any_given_name_has_its_relations(tmp_path: Path) -> None:
    """The reader's names are enough, also those that a relation names once."""
    text = (
        "恰斯卡是卡齐娜的好朋友。希巴拉克是玛薇卡的弟弟。茜特菈莉的徒弟伊法是一名医生。"
        "玛薇卡杀死了古斯托特。玛拉妮嫁给了伊法。卡齐娜和恰斯卡在火边唱歌，玛薇卡听着，古斯托特和玛拉妮也听着。"
        "茜特菈莉和基尼奇没有来。"
    )
    relations, events = await stated(tmp_path, [text], shipped_reader())
    pairs = {(one.source, one.type, one.target) for one in relations[1]}
    assert {
        ("恰斯卡", "FRIEND_OF", "卡齐娜"),
        ("希巴拉克", "FAMILY_OF", "玛薇卡"),
        ("伊法", "PARTNER_OF", "茜特菈莉"),
        ("玛薇卡", "ENEMY_OF", "古斯托特"),
        ("玛拉妮", "FAMILY_OF", "伊法"),
    } <= pairs
    assert {one.primary_character for one in events[1] if one.event_type == "loss"} == {"古斯托特"}
