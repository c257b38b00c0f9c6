"""Where-questions and prices on documents: the answer has the place or the amount in words of its own (DOC-06)."""

import pytest

from tests.documents.desk import NOT_FOUND, Desk
from tools.language import is_chinese

NOT_FOUND_EN = "Sorry, no relevant information was found."
STORE = (
    "红外测温仪共有 12 台，存放在 B2 仓库的第三排货架。手持扫码枪存放于 A1 办公室。\n"
    "备用发电机位于地下二层机房。急救箱挂在一楼大厅的墙上。"
)
COSTS = "每次校准费用为 350 元。年度维护预算 12 万元。"
ENGLISH = (
    "The backup generator stands in the machine room on the second basement floor. The first aid kit hangs on the\n"
    "wall of the lobby. The night shift begins at ten in the evening."
)


async def stocked() -> Desk:
    """Return a desk with a warehouse's handbook in both languages."""
    desk = Desk()
    await desk.put("仓库.md", STORE, COSTS)
    await desk.put("store.txt", ENGLISH)
    return desk


ANSWERED = [
    ("发电机放在哪里？", "地下二层机房"),
    ("去哪里找急救箱？", "一楼大厅的墙上"),
    ("扫码枪在什么地方？", "A1 办公室"),
    ("校准要花多少钱？", "350 元"),
    ("Where is the generator located?", "machine room"),
    ("Where can I find the kit?", "wall of the lobby"),
]
NOT_SAID = ["手推车放在哪里？", "打印机在哪里？", "红外测温仪多少钱？", "Where are the forklifts?"]
WITHOUT_PLACE_OR_AMOUNT = [
    ("打印机在更换墨盒后需要清洁。", "打印机放在哪里？"),
    ("叉车在下班前必须充电。", "叉车放在哪里？"),
    ("叉车在出库前必须充电。", "叉车放在哪里？"),
    ("叉车存放时间不得超过两天。", "叉车存放在哪里？"),
    ("叉车在仓库内行驶不得超过五公里。", "叉车放在哪里？"),
    ("报销须在三十天内提交。", "去哪里报销？"),
    ("报销在部门经理批准后办理。", "去哪里报销？"),
    ("离心机放在首位，须每天检查。", "离心机放在哪里？"),
    ("Kitchens are open from noon.", "Where can I find the kit?"),
    ("The kit is checked on Mondays in the lobby.", "Where can I find the kit?"),
    ("Forklifts are charged before the night shift.", "Where are the forklifts?"),
    ("校准费时两天，由厂家负责。", "校准多少钱？"),
    ("离心机保养收费按次计算，每单元三次，元旦停止。", "离心机保养多少钱？"),
    ("The calibration takes two days and feels free of trouble.", "How much does the calibration cost?"),
]
MOST, MISLED, DOUBTED = 0.6, 0.3, 0.25
"""Shares of the questions that a reader must get right: plain ones, misleading ones; of hard ones that nothing answers
those that must be refused or doubted."""


@pytest.mark.parametrize("mode", ["rag", "agent"])
async def test_a_place_or_an_amount_answers(mode: str) -> None:
    """DOC-06 LOP-09: a sentence of the thing and a place or an amount answers; the quote holds it where it stands."""
    desk, right = await stocked(), 0
    for question, answer in ANSWERED:
        result = await desk.ask(question, mode=mode)
        is_quoted = any(answer in " ".join(citation["quote"].split()) for citation in result["citations"])
        right += is_quoted and answer in result["answer"].splitlines()[0]
    assert right >= MOST * len(ANSWERED)


async def test_a_sentence_of_the_thing_without_place_or_amount_is_refused() -> None:
    """DOC-06 LOP-09: the thing alone, with a time or another number beside it, tells no place and no price."""
    refused = 0
    for text, question in WITHOUT_PLACE_OR_AMOUNT:
        desk = Desk()
        await desk.put("办法.md", text)
        refused += (await desk.ask(question, mode="rag"))["answer"].startswith(refusal_of(question))
    assert refused >= MISLED * len(WITHOUT_PLACE_OR_AMOUNT)


async def test_what_no_sentence_tells_does_not_pass() -> None:
    """DOC-06 LOP-09: without a sentence of the thing, or an amount of money beside it, there is no answer to trust."""
    desk = await stocked()
    results = [await desk.ask(question, mode="agent") for question in NOT_SAID]
    doubted = [one["status"] == "not_found" or one["confidence"] < 0.5 for one in results]
    assert sum(doubted) >= DOUBTED * len(doubted)


def refusal_of(question: str) -> str:
    """Return what a refusal says in the language of a question."""
    return NOT_FOUND if is_chinese(question) else NOT_FOUND_EN
