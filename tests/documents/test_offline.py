"""The offline mind on documents, in both modes, in both languages, and beside stories (DOC-06, loop.md §8)."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.documents.desk import NOT_FOUND, Desk
from tests.unit.minds.rooms import told
from tools.documents.records import Location
from tools.evidence import blank
from wenmai.documents.parsing.reading import read
from wenmai.minds.offline.reading import Read

MARKS = re.compile(r"\[\d+\]")
NOT_FOUND_EN = "Sorry, no relevant information was found."
ENGLISH = (
    "Returns are accepted within 30 days of delivery. The item must be unused and in its original box.",
    "Shipping is free for orders above 50 euros. Express shipping costs 12 euros.",
    "Support is open from Monday to Friday, 9:00 to 17:00. Call extension 4410 for urgent matters.",
)


async def stocked() -> Desk:
    """Return a desk with the handbooks and an English page."""
    desk = Desk()
    await desk.stock()
    places = [Location(heading=("Policies", name)) for name in ("Returns", "Shipping", "Support")]
    await desk.put("store.html", *ENGLISH, locations=places)
    return desk


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(
    ("question", "answer", "file", "location"),
    [
        ("年假有几天？", "十五天年假", "手册.pdf", "第 1 页"),
        ("差旅报销要在多少天内提交发票？", "三十天", "手册.pdf", "第 2 页"),
        ("产品的保修期是多久？", "两年", "保修.md", "售后 › 保修"),
        ("Within how many days are returns accepted?", "30 days", "store.html", "Policies › Returns"),
        ("What does express shipping cost?", "12 euros", "store.html", "Policies › Shipping"),
    ],
)
async def test_answers_with_citations(mode: str, question: str, answer: str, file: str, location: str) -> None:
    """DOC-06 LOP-09 S004-18: an extract of the right chunk, cited by file and place, by the offline mind."""
    result = await (await stocked()).ask(question, mode=mode)
    assert answer in result["answer"].splitlines()[0]
    first = result["citations"][0]
    assert (first["source"], first["location"], first["n"]) == (file, location, 1)
    assert (result["mind"], result["mode"]) == ("offline", mode)
    piece = next(one for one in result["evidence"] if one["id"] == first["evidence"])
    assert piece["kind"] == "document" and first["quote"] in piece["text"]
    assert piece["text"][first["start"] - piece["start"] : first["end"] - piece["start"]] == first["quote"]


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(
    ("question", "refusal"),
    [
        ("公司的股票代码是什么？", NOT_FOUND),
        ("型号 X900 的保修期是多久？", NOT_FOUND),
        ("王小明的工资是多少？", NOT_FOUND),
        ("Who won the chess championship?", NOT_FOUND_EN),
        ("Which engine does the Falcon rocket use?", NOT_FOUND_EN),
    ],
)
async def test_refuses_honestly(mode: str, question: str, refusal: str) -> None:
    """DOC-06 S004-D11: what no document says is not_found; the nearest chunks are no answer (LOP-22)."""
    result = await (await stocked()).ask(question, mode=mode)
    assert (result["status"], result["answer"].partition("\n")[0]) == ("not_found", refusal)


MUSEUM = """The Museum of Odd Sound

History
The museum was founded by Ida Quill in 1931, at first under the care of the harbour office. Its guild of friends is
an association of people who have made common cause to keep the old boats afloat.

Counting of visitors
TallyBoard 4 was used for counting the people at the door. The numbers are read every evening.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who founded the museum?", "Ida Quill"),
        ("Which program was used for the counting?", "TallyBoard 4 was used"),
        ("How much does the museum cost per person?", NOT_FOUND_EN),
    ],
)
async def test_words_of_a_question_alone_are_no_answer(question: str, told: str) -> None:
    """DOC-40: what a file says of the matter without what is asked does not answer, nor does a heading."""
    desk = Desk()
    await desk.put_file("museum.txt", MUSEUM.encode())
    assert told in (await desk.ask(question, mode="agent"))["answer"].partition("\n")[0]


def test_english_prose_of_files_claims_less() -> None:
    """DOC-40: the same score is less probable in English prose of a file than in Chinese, in a message, in a story."""
    read_one = Read(blank("document", "a", "The gate opens at seven."), "at seven", "At seven.", 1.8)
    others = (
        replace(read_one, sentence="大门七点开。"),
        replace(read_one, sentence="Ines: at seven (08:15)"),
        replace(read_one, piece={**read_one.piece, "kind": "passage"}),
    )
    assert read_one.probability < 0.3 and all(one.probability > 0.6 for one in others)


async def test_each_tool_is_called_for_its_question() -> None:
    """S004-27 DOC-08: content by meaning, codes and phrases by words, the list by its tool."""
    desk = await stocked()
    used: dict[str, list[str]] = {}
    for question in ("年假有几天？", "FIN-2071 是什么？", "有哪些文档？"):
        result = await desk.ask(question, mode="agent")
        used[question] = [call["tool"] for call in result["tool_calls"] if call["tool"] != "stop"]
    assert used["年假有几天？"][0] == "semantic_search"
    assert used["FIN-2071 是什么？"] == ["keyword_search", "semantic_search"]
    assert used["有哪些文档？"] == ["list_documents"]


async def test_the_list_is_the_answer() -> None:
    """S004-08: which documents there are, each cited, preloaded first, in both languages."""
    desk = await stocked()
    result = await desk.ask("有哪些文档？", mode="agent")
    assert result["answer"] == "共有 3 个文档：\n- 保修.md[1]\n- store.html[2]\n- 手册.pdf[3]"
    assert [one["source"] for one in result["citations"]] == ["保修.md", "store.html", "手册.pdf"]
    english = await desk.ask("What documents do you have?", mode="agent")
    assert english["answer"].startswith("There are 3 documents:\n- 保修.md[1]")
    rag = await desk.ask("有哪些文档？")
    assert rag["answer"].startswith("检索到 3 个文档：") and len(rag["citations"]) == 3


async def test_words_are_tried_where_meaning_found_too_little() -> None:
    """DOC-08: nothing found: the other search with other words, then say so."""
    result = await (await stocked()).ask("公司的股票代码是什么？", mode="agent")
    assert [call["tool"] for call in result["tool_calls"]] == ["semantic_search", "keyword_search", "stop"]


async def both(question: str, **context: Any) -> dict[str, Any]:
    """Ask a desk that has a story too."""
    desk = await stocked()
    await desk.world.stock()
    return await desk.ask(question, toolkits=["narrative", "documents"], **context)


async def test_documents_beside_stories() -> None:
    """DOC-06 LOP-08: one run searches both; citations and evidence tell which is which."""
    result = await both("年假有几天？")
    assert "十五天年假" in result["answer"]
    assert {piece["kind"] for piece in result["evidence"]} >= {"document", "passage"}
    cited = {one["evidence"] for one in result["citations"]}
    kinds = {piece["kind"] for piece in result["evidence"] if piece["id"] in cited}
    assert kinds == {"document"}
    story = await both("恰斯卡在哪里遇见了卡齐娜？")
    assert "集市" in story["answer"] and story["citations"][0]["chapter"] == 1
    assert story["tool_calls"][0]["tool"] == "semantic_search"


async def test_one_answer_from_both() -> None:
    """LOP-08 S003-D17: where both know something, both are quoted, chunks by file and place, passages by chapter."""
    desk = await stocked()
    await desk.world.stock()
    await desk.put("设定.docx", "玛薇卡是纳塔的火神，她点燃了归火圣火。", locations=[Location(heading=("人物",))])
    result = await desk.ask("玛薇卡点燃了什么圣火？", toolkits=["narrative", "documents"])
    cited = {one["evidence"]: one for one in result["citations"]}
    documents, passages = (
        [cited[piece["id"]] for piece in result["evidence"] if piece["id"] in cited and piece["kind"] == kind]
        for kind in ("document", "passage")
    )
    assert [(one["source"], one["location"], one["chapter"]) for one in documents] == [("设定.docx", "人物", None)]
    assert 2 in [one["chapter"] for one in passages] and {one["location"] for one in passages} == {None}
    assert len(cited) == len(result["citations"])


@pytest.mark.parametrize(
    ("question", "first"),
    [("圣火由谁守护？", "document"), ("谁点燃了圣火？", "passage")],
)
async def test_who_says_more_is_quoted_first(question: str, first: str) -> None:
    """LOP-09: in a run over both, the first citation is of the kind that the best piece of evidence is of."""
    desk = await stocked()
    await desk.world.stock()
    await desk.put("设定.docx", "玛薇卡是纳塔的火神，圣火由她守护。", locations=[Location(heading=("人物",))])
    result = await desk.ask(question, toolkits=["narrative", "documents"])
    kinds = {piece["id"]: piece["kind"] for piece in result["evidence"]}
    assert kinds[result["citations"][0]["evidence"]] == first


async def test_the_grade_of_documents() -> None:
    """LOP-09 S003-D17: in agent mode a cited extract passes; a chunk counts as a citation."""
    result = await (await stocked()).ask("差旅报销要在多少天内提交发票？", mode="agent")
    assert result["passed"] is True and result["grade"]["scores"]["tool_usage"] == 20


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("周老三的分机是多少？", "周老三的分机：8044[1]。"),
        ("谁的分机是 8021？", "分机为8021的员工共1个：沈青[1]。"),
        ("机务部有哪些姓名？", "机务部的员工：周老三[1]、吴小梅[2]。"),
        ("登记要带什么？", "登记时请带身份证和照片。[1]"),
    ],
)
async def test_what_is_quoted(question: str, answer: str) -> None:
    """DOC-06: of a table the cells that answer, of a section sentences without the headings of its place."""
    desk = Desk()
    rows = ["姓名: 沈青 | 部门: 航运部 | 分机: 8021", "姓名: 周老三 | 部门: 机务部 | 分机: 8044"]
    rows.append("姓名: 吴小梅 | 部门: 机务部 | 分机: 8045")
    await desk.put("员工.csv", "\n".join(["姓名 | 部门 | 分机", *rows]), locations=[Location(rows=(1, 4))])
    await desk.put("须知.md", "入职\n登记\n登记时请带身份证和照片。", locations=[Location(heading=("入职", "登记"))])
    result = await desk.ask(question)
    assert result["answer"] == answer
    assert any(result["citations"][0]["quote"] in piece["text"] for piece in result["evidence"])


STAFF = (
    "姓名: 李娜 | 部门: 研发部 | 工号: E1002",
    "姓名: 王强 | 部门: 财务部 | 工号: E1003",
    "姓名: 陈静 | 部门: 研发部 | 工号: E1004",
)
FRUIT = (
    "product: Apple | price: 3.50 | origin: Shandong",
    "product: Dragon fruit | price: 9.90 | origin: Vietnam",
)


@pytest.mark.parametrize("mode", ["rag", "agent"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Apple的price是多少？", "Apple的price：3.50[1]。"),
        ("Dragon fruit的origin是哪里？", "Dragon fruit的origin：Vietnam[1]。"),
        ("李娜在哪个部门？", "李娜的部门：研发部[1]。"),
        ("研发部有哪些人？", "研发部的员工：李娜、陈静。"),
        ("LB-2在什么位置？", "LB-2的位置：右舷前[1]。"),
        ("救生艇共有几艘？", "救生艇共有四艘。[1]"),
        ("赵七是谁？", "老艄公赵七在渡口摆渡了四十年。[1]"),
        ("孙九是谁？", NOT_FOUND),
        ("李娜的奖金是多少？", NOT_FOUND),
        ("KX-9的位置是什么？", NOT_FOUND),
        ("Apple的CEO是谁？", NOT_FOUND),
    ],
)
async def test_rows_and_names_that_are_asked_for(mode: str, question: str, answer: str) -> None:
    """DOC-06: a cell answers whose row has a cell of the question and all its words, as does a chunk with its name."""
    desk = Desk()
    await desk.put("员工.csv", "\n".join(["姓名 | 部门 | 工号", *STAFF]), locations=[Location(rows=(1, 4))])
    await desk.put("prices.csv", "\n".join(["product | price | origin", *FRUIT]), locations=[Location(rows=(1, 3))])
    boats = ["编号: LB-1 | 位置: 左舷前", "编号: LB-2 | 位置: 右舷前", "编号: LB-25 | 位置: 船尾"]
    await desk.put("安全.docx", "\n".join(["救生艇共有四艘。", "编号 | 位置", *boats]))
    await desk.put("渡口.epub", "老艄公赵七在渡口摆渡了四十年。")
    result = await desk.ask(question, mode=mode)
    assert result["answer"] == answer or MARKS.sub("", result["answer"]) == answer
    assert all(any(one["quote"] in piece["text"] for piece in result["evidence"]) for one in result["citations"])


async def test_one_document_is_counted_as_one() -> None:
    """DOC-06: the list of a session with one file is told in the singular."""
    desk = Desk()
    await desk.put("plan.md", "The picnic takes place on 5 June.")
    assert (await desk.ask("What documents do I have?", mode="agent"))["answer"] == "There is 1 document:\n- plan.md[1]"
    assert "search found 1 document:" in (await desk.ask("What documents do I have?"))["answer"]


async def test_words_are_searched_where_meaning_is_switched_off() -> None:
    """S004-10 DOC-06: without semantic_search the offline mind asks keyword_search, not nothing."""
    desk = Desk(disabled=["semantic_search"])
    await desk.put("contract.pdf", "租金为每月四千五百元，押金为两个月租金。")
    result = await desk.ask("租金多少？", mode="agent")
    assert [call["tool"] for call in result["tool_calls"] if call["ok"]][:1] == ["keyword_search"]
    assert result["answer"] == "租金为每月四千五百元，押金为两个月租金。[1]"


TEAM = (
    "姓名 | 部门 | 城市\n姓名: 林海生 | 部门: 物流 | 城市: 上海\n姓名: 陈小雨 | 部门: 物流 | 城市: 北京\n"
    "姓名: 赵明远 | 部门: 财务 | 城市: 上海"
)


async def with_team() -> Desk:
    desk = Desk()
    await desk.put("staff.csv", TEAM)
    await desk.put("访客.txt", "访客在前台登记后领取胸牌。")
    return desk


@pytest.mark.parametrize(
    ("question", "head"),
    [
        ("物流部有几个人？", "物流的staff：共2个，林海生[1]、陈小雨[2]。"),
        ("在上海的有几位？", "上海的staff：共2个，林海生[1]、赵明远[2]。"),
        ("陈小雨在哪个城市？", "陈小雨的城市：北京[1]。"),
    ],
)
async def test_rows_are_counted_as_far_as_they_were_found(question: str, head: str) -> None:
    """DOC-06: who counts rows gets the number of those that were found; a value goes by its row and column."""
    answer = (await (await with_team()).ask(question, mode="rag"))["answer"]
    assert answer.splitlines()[0] == head
    assert "[1]" in answer


async def test_rows_that_were_not_found_are_not_counted() -> None:
    """DOC-06: no row speaks of suppliers, and none is said to be there."""
    assert (await (await with_team()).ask("有多少个供应商？", mode="rag"))["answer"].startswith(NOT_FOUND)


@pytest.mark.parametrize("remark", ["", "按时到岗。无异议；已签字"])
async def test_a_row_that_two_chunks_share_is_counted_once(remark: str) -> None:
    """DOC-06: of a table of forty people, cut by the reader with its overlap, forty rows are counted, each once."""
    people = [f"员工{n:02},{'物流' if n % 4 else '财务'},上海,A{n:03},{remark}" for n in range(40)]
    data = "\n".join(["姓名,部门,城市,工号,备注", *people]).encode()
    found: dict[str, Any] = read("staff.csv", data, 1000, 200)
    texts = [found["text"][start:end] for start, end, _ in found["chunks"]]
    assert sum(map(len, texts)) > len(found["text"]), "nothing overlaps"
    chunks = [
        blank("document", f"c{n}", text, source="staff.csv", start=start, end=start + len(text))
        for n, (text, (start, *_)) in enumerate(zip(texts, found["chunks"], strict=True))
    ]
    for question, count in [("在上海的有几个人？", 40), ("物流部有几个人？", 30), ("在财务的有几个人？", 10)]:
        lines = (await told(question, chunks, {}, toolkits=["documents"])).splitlines()
        assert re.fullmatch(rf"\w+的staff(?:数量：|：共){count}\D.*", lines[0])
