"""Which source answers where a run has several, and what of a document may answer at all, by the offline mind."""

from typing import Any

import pytest

from tests.documents.desk import NOT_FOUND, Desk

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


@pytest.mark.parametrize("question", ["有哪些文档？", "李娜在哪个部门？"])
async def test_lists_and_rows_pass(question: str) -> None:
    """LOP-09 S003-D17: what a tool lists, and a row that says all that is asked, needs no reading to be graded."""
    desk = Desk()
    await desk.put("员工.csv", "姓名 | 部门\n姓名: 李娜 | 部门: 研发部\n姓名: 王强 | 部门: 财务部")
    result = await desk.ask(question, mode="agent")
    assert result["passed"] is True and result["citations"]
