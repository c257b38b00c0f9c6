"""Which deeds between two people a question takes for granted, and which texts narrate one."""

import pytest

from tools.records import Name
from tools.story.linking import NameTable
from wenmai.minds.offline.deed_claims import deeds_of, deeds_told

PEOPLE = ("关羽", "颜良", "袁绍", "曹髦", "贾充", "成济", "周瑜", "魏延")
TABLE = NameTable.build([Name(text=name, entity=name, kind="Character", mentions=9) for name in PEOPLE])


def claimed(question: str) -> list[tuple[str, str | None]]:
    """Return doer and sufferer of each claimed deed."""
    return [(deed.doer, deed.sufferer) for deed in deeds_of(question, TABLE.find(question)) if not deed.is_meant]


@pytest.mark.parametrize(
    "question",
    [
        "关羽后来杀了颜良吗？",
        "关羽原来杀了颜良吗？",
        "请问关羽杀了颜良吗？",
        "关羽当时为什么杀了颜良？",
        "关羽之前杀过颜良吗？",
        "关羽去年杀了颜良吗？",
        "关羽同时杀了颜良吗？",
        "关羽为什么要杀颜良？",
        "颜良是被关羽斩的吗？",
    ],
)
def test_a_deed_that_is_taken_for_granted(question: str) -> None:
    """S003-D08: adverbs of time leave a claim a claim, and so does 为什么要."""
    assert claimed(question) == [("关羽", "颜良")]


@pytest.mark.parametrize(
    "question",
    [
        "周瑜要斩魏延时，是谁求的情？",
        "关羽去斩颜良之前喝了酒吗？",
        "关羽斩了袁绍哪员大将？",
        "曹髦被杀时当面大骂贾充的大臣是谁？",
        "是谁喝令成济刺死曹髦的？",
        "周瑜派谁去南屏山杀魏延？",
        "关羽杀妻招待颜良，后来怎样？",
        "曹髦被杀以后，贾充怎么样了？",
        "周瑜追杀魏延到了哪里？",
    ],
)
def test_what_is_only_meant_or_befalls_another_is_no_claim(question: str) -> None:
    """S003-D08: a deed that is meant or ordered, one of a clause before, one that befell another one's man."""
    assert claimed(question) == []


def test_who_is_said_to_mean_a_deed_stands_by_whom_he_means() -> None:
    """S003-D08: a meant deed needs its verb beside both names, and no more."""
    question = "周瑜要斩魏延时，是谁求的情？"
    assert deeds_told(question, TABLE.find(question), ["周瑜大怒，喝令将魏延推出斩首，众将告免。"], TABLE)
    assert not deeds_told(question, TABLE.find(question), ["周瑜大怒。魏延引军来迎，众将皆喜。"], TABLE)


def test_a_head_that_is_brought_tells_a_killing() -> None:
    """S003-D08: 提颜良之头 narrates what 斩了颜良 says; 提刀见颜良 does not."""
    question = "关羽斩了颜良吗？"
    assert deeds_told(question, TABLE.find(question), ["关羽飞身上马，提颜良之头，掷于地上。"], TABLE)
    assert not deeds_told(question, TABLE.find(question), ["关羽提刀来见颜良，两人说话。"], TABLE)
