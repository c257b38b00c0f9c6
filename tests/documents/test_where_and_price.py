"""Where-questions and prices on documents: the answer has the place or the amount in words of its own (DOC-06)."""

import pytest

from tests.documents.desk import NOT_FOUND, Desk

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


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("发电机放在哪里？", "地下二层机房"),
        ("去哪里找急救箱？", "一楼大厅的墙上"),
        ("扫码枪在什么地方？", "A1 办公室"),
        ("校准要花多少钱？", "350 元"),
        ("Where is the generator located?", "machine room"),
        ("Where can I find the kit?", "wall of the lobby"),
    ],
)
async def test_a_place_or_an_amount_answers(mode: str, question: str, answer: str) -> None:
    """DOC-06 LOP-09: a sentence of the thing and a place or an amount answers; the quote holds it where it stands."""
    result = await (await stocked()).ask(question, mode=mode)
    assert answer in result["answer"]
    assert any(answer in " ".join(citation["quote"].split()) for citation in result["citations"])


@pytest.mark.parametrize(
    ("question", "refusal"),
    [
        ("叉车放在哪里？", NOT_FOUND),
        ("打印机在哪里？", NOT_FOUND),
        ("红外测温仪多少钱？", NOT_FOUND),
        ("Where are the forklifts?", NOT_FOUND_EN),
    ],
)
async def test_what_no_sentence_tells_is_refused(question: str, refusal: str) -> None:
    """DOC-06 LOP-09: without a sentence of the thing, or an amount of money beside it, there is no answer."""
    assert (await (await stocked()).ask(question, mode="rag"))["answer"] == refusal
