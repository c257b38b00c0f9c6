"""Which source answers where a run has several, and what of a document may answer at all, by the offline mind."""

from typing import Any

import pytest

from tests.documents.desk import NOT_FOUND, Desk
from tools.evidence import blank
from wenmai.minds.offline.documents.asking import admitted, names_files
from wenmai.minds.offline.documents.tables import is_row_asked
from wenmai.minds.offline.reading import sentences_of

SETTING = "恰斯卡在港口遇见了卡齐娜，两人互不相让。"


async def asked(question: str, **context: Any) -> dict[str, Any]:
    """Ask a desk with a story and a file that contradicts it."""
    desk = Desk()
    await desk.world.stock()
    await desk.put("设定.docx", SETTING)
    return await desk.ask(question, toolkits=["narrative", "documents"], **context)


async def test_documents_first_where_files_are_named() -> None:
    """LOP-08 DOC-06: who asks what a file says is told by the file, though the story tells as much."""
    result = await asked("文件里说恰斯卡在哪里遇见了卡齐娜？")
    assert "港口" in result["answer"].splitlines()[0]
    assert result["citations"][0]["source"] == "设定.docx"


async def test_the_story_first_where_only_it_tells() -> None:
    """LOP-08 DOC-06: a question that names files is answered by the story where no file does."""
    result = await asked("上传的文件以外，谁点燃了圣火？")
    assert "玛薇卡点燃圣火" in result["answer"].splitlines()[0]


async def test_rag_mode_reads_what_comes_first() -> None:
    """LOP-01 DOC-06: the one retrieval of rag mode is answered from, of a story as of documents."""
    desk = Desk()
    await desk.world.stock()
    await desk.put("设定.docx", SETTING)
    told = [
        (await desk.ask("恰斯卡在哪里遇见了卡齐娜？", toolkits=order, mode="rag"))["answer"].splitlines()[0]
        for order in (["story", "documents"], ["documents", "story"])
    ]
    assert "集市" in told[0] and "港口" in told[1]


@pytest.mark.parametrize(
    ("question", "is_named"),
    [("合同里租金是多少？", True), ("What does my report say?", True), ("年假有几天？", False), ("Who is Ada?", False)],
)
def test_what_names_files(question: str, is_named: bool) -> None:
    """DOC-06: a word for files is enough."""
    assert names_files(question) is is_named


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("“双倍工资”是什么意思？", "双倍工资"),
        ("“四倍工资”是什么意思？", ""),
        ("编号 FIN-2071 是什么？", "FIN-2071"),
        ("编号 FIN-9999 是什么？", ""),
    ],
)
async def test_what_is_quoted_or_a_code_must_be_there(mode: str, question: str, answer: str) -> None:
    """DOC-06 DOC-08: a chunk with the quoted phrase answers; where no chunk has it, nothing like it does."""
    desk = Desk()
    await desk.stock()
    result = await desk.ask(question, mode=mode)
    assert answer in result["answer"] if answer else result["answer"] == NOT_FOUND


def test_chunks_with_the_exact_terms() -> None:
    """DOC-06: the chunks with most of the codes are read, with all else; of an unknown code none, of none all."""
    texts = ["A-100 的价格是 20 元。", "B-200 的价格是 30 元。", "价格每年调整。"]
    chunks = [blank("document", f"c{n}", text, source="价目.txt") for n, text in enumerate(texts)]
    pieces = [*chunks, blank("passage", "p", "集市")]
    kept = {
        question: [piece["id"] for piece in admitted(question, pieces)]
        for question in ("A-100 多少钱？", "A-100 和 B-200 哪个贵？", "C-300 多少钱？", "价格什么时候调整？")
    }
    assert list(kept.values()) == [["c0", "p"], ["c0", "c1", "p"], ["p"], ["c0", "c1", "c2", "p"]]


@pytest.mark.parametrize("question", ["有哪些文档？", "李娜在哪个部门？"])
async def test_lists_and_rows_pass(question: str) -> None:
    """LOP-09 S003-D17: what a tool lists, and a row that says all that is asked, needs no reading to be graded."""
    desk = Desk()
    await desk.put("员工.csv", "姓名 | 部门\n姓名: 李娜 | 部门: 研发部\n姓名: 王强 | 部门: 财务部")
    result = await desk.ask(question, mode="agent")
    assert result["passed"] is True and result["citations"]


@pytest.mark.parametrize(
    ("text", "place", "sentences"),
    [
        ("入职\n登记\n登记时带照片。", "入职 › 登记", ["登记时带照片。"]),
        ("登记\n登记", "登记", ["登记\n登记"]),
        ("姓名 | 部门\n姓名: 李娜 | 部门: 研发。部", None, ["姓名: 李娜 | 部门: 研发。部"]),
        (
            "The backup generator is checked on the first day of each\nmonth. Ask for the key.",
            None,
            ["The backup generator is checked on the first day of each\nmonth.", "Ask for the key."],
        ),
        ("一、登记\n二、体检\n三、培训", None, ["一、登记", "二、体检", "三、培训"]),
    ],
)
def test_what_may_be_quoted(text: str, place: str | None, sentences: list[str]) -> None:
    """DOC-06: sentences below the headings, rows whole, items apart; a line that the layout broke goes on."""
    piece = blank("document", "c", text, location=place)
    assert [text[start:end] for start, end in sentences_of(piece, text)] == sentences


def test_a_row_that_says_half_of_the_question_is_no_answer() -> None:
    """DOC-06: the row of 李娜 does not tell her bonus; a sentence is left to the reader."""
    row = "姓名: 李娜 | 部门: 研发部"
    assert is_row_asked("李娜的部门是什么？", row, blank("document", "c", row))
    assert not is_row_asked("李娜的奖金是多少？", row, blank("document", "c", row))
    assert is_row_asked("李娜的奖金是多少？", "她去年得了两万。", blank("document", "c", row))
