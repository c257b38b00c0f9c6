"""The three document tools as their toolbox runs them: shapes, ranges, isolation, errors (documents.md §3)."""

import asyncio
import json
from typing import Any

import pytest

from tests.documents.desk import USER, Desk
from tests.fake_documents import FakeDocumentStore
from tests.fakes import DeadEmbedder
from tools.base import Scope
from tools.documents.links import names_in
from tools.documents.records import DocumentScope, Location
from tools.documents.search import arguments_with, terms_in
from tools.errors import StoreUnavailable
from tools.language import cost

LISTS = {"semantic_search": "chunks", "keyword_search": "results", "list_documents": "documents"}
TOOLS = ("semantic_search", "keyword_search", "query_table", "list_documents")
NOTHING = "No relevant documents found."
MINE = Scope(library="", user_id=USER, thread_id="t1")
OTHERS = Scope(library="", user_id="乙", thread_id="t2")
ALIEN = Scope(library="", user_id=USER, thread_id="t9")


async def stocked(**fields: Any) -> Desk:
    """Return a desk with a preloaded document and two handbooks of one name."""
    desk = Desk(**fields)
    await desk.stock()
    return desk


async def run(desk: Desk, name: str, args: object, scope: Scope = MINE) -> dict[str, Any]:
    """Run one call as the loop does and return its JSON."""
    outcome = await desk.toolbox(["documents"]).run(name, args, scope, 1)
    answer: dict[str, Any] = json.loads(outcome.content)
    return answer


async def test_semantic_search() -> None:
    """S004-07 S004-12: found and chunks with content, filename, chunk_index, score, location, best first."""
    answer = await run(await stocked(), "semantic_search", {"query": "年假有几天", "top_k": 2})
    assert answer["found"] == len(answer["chunks"]) == 2
    first = answer["chunks"][0]
    assert (first["filename"], first["chunk_index"], first["location"]) == ("手册.pdf", 0, "第 1 页")
    assert "十五天年假" in first["content"] and 0 <= first["score"] <= 1
    assert set(first) == {"content", "filename", "chunk_index", "score", "location"}


async def test_semantic_search_default_rows() -> None:
    """S004-07: top_k is TOP_K_RETRIEVAL where the model does not say it; its declaration tells the number."""
    desk = await stocked()
    desk.policy = type(desk.policy)(document_rows=3)
    assert (await run(desk, "semantic_search", {"query": "手册"}))["found"] == 3
    described = arguments_with(3).model_fields["top_k"].description
    assert described == "返回结果数量，1..20，默认 3"


async def test_semantic_search_finds_nothing_and_lacks_its_query() -> None:
    """S004-07 S004-12 DOC-05: an empty result says so; a missing or blank query is an error in JSON."""
    desk = Desk()
    empty = {"found": 0, "chunks": [], "message": NOTHING}
    assert await run(desk, "semantic_search", {"query": "年假"}) == empty
    for args in ({}, {"query": None}, {"query": "  "}):
        wrong = {"error": "query parameter is required", "tool": "semantic_search"}
        assert await run(desk, "semantic_search", args) == wrong


async def test_pages_that_a_good_page_names() -> None:
    """S004-D12: the second step of a question: a page named by what answers the first, though it shares no word."""
    desk = Desk()
    for name, text in (
        ("灰塔.md", "《灰塔》是一九三二年的影片，由韩若水执导，在云州首映。"),
        ("韩若水.md", "他生于海城，父亲是一位钟表匠，母亲教琴。"),
        *((f"影片{n}.md", f"这部影片第{n}次在别处重映，由别人执导。") for n in range(8)),
    ):
        await desk.put(name, text)
    desk.embedder = DeadEmbedder()  # words alone
    found = (await run(desk, "semantic_search", {"query": "影片灰塔由谁执导？", "top_k": 2}))["chunks"]
    assert [one["filename"] for one in found] == ["灰塔.md", "韩若水.md"]


def test_names_have_a_capital_of_any_alphabet() -> None:
    """S004-D12: words between them belong to them, others do not."""
    texts = ["Then Élodie Durand greeted the Duke of York.", "Режиссёр Андрей Тарковский родился давно."]
    assert names_in(texts) == "Then Élodie Durand Duke of York.\nРежиссёр Андрей Тарковский"


async def test_a_page_of_somebody_else_is_no_link() -> None:
    """S004-D12: names are looked up under the same filter as the question."""
    desk = Desk()
    await desk.put("灰塔.md", "《灰塔》由韩若水执导。")
    await desk.put("韩若水.md", "他生于海城。", user="乙", session="t2")
    found = (await run(desk, "semantic_search", {"query": "灰塔由谁执导？"}))["chunks"]
    assert [one["filename"] for one in found] == ["灰塔.md"]


async def test_ties_are_ordered_by_name_and_index() -> None:
    """S004-D12: equal chunks stand by filename, then chunk_index."""
    desk = Desk()
    await desk.put("乙.txt", "同样的话。", "同样的话。")
    await desk.put("甲.txt", "同样的话。")
    answer = await run(desk, "semantic_search", {"query": "同样的话"})
    shown = [(chunk["filename"], chunk["chunk_index"]) for chunk in answer["chunks"]]
    assert shown == [("乙.txt", 0), ("乙.txt", 1), ("甲.txt", 0)]


async def test_a_dead_embedder_leaves_the_words() -> None:
    """S004-07: without the embedder's service words are searched for, and the caller is told; scores are null."""
    desk = await stocked(embedder=DeadEmbedder())
    outcome = await desk.toolbox(["documents"]).run("semantic_search", {"query": "保修期"}, MINE, 1)
    answer = json.loads(outcome.content)
    assert answer["chunks"][0]["filename"] == "保修.md" and answer["chunks"][0]["score"] is None
    assert outcome.warning is not None


async def test_keyword_search() -> None:
    """S004-09 S004-D03: all terms before any, literal substrings, matched terms, total before the limit."""
    desk = await stocked()
    answer = await run(desk, "keyword_search", {"keywords": "报销 FIN-2071"})
    (row,) = answer["results"]
    assert (answer["found"], answer["total"], answer["match_mode"]) == (1, 1, "all")
    assert (row["filename"], row["chunk_index"], row["location"]) == ("手册.pdf", 1, "第 2 页")
    assert row["matched_terms"] == ["报销", "FIN-2071"] and row["chunk_id"]
    either = await run(desk, "keyword_search", {"keywords": "报销 保修期 火星", "limit": 1})
    assert (either["found"], either["total"], either["match_mode"]) == (1, 2, "any")
    folded = await run(desk, "keyword_search", {"keywords": "fin-２０７１"})
    assert folded["total"] == 1


@pytest.mark.parametrize("wild", ["%", "_", "\\", "年%假"])
async def test_no_wildcards(wild: str) -> None:
    """S004-D03: %, _ and the backslash are ordinary characters."""
    answer = await run(await stocked(), "keyword_search", {"keywords": wild})
    assert answer == {"found": 0, "total": 0, "match_mode": "all", "results": [], "message": NOTHING}


def test_phrases() -> None:
    """S004-D03: quoted text is one phrase; without blanks the whole string is one term."""
    assert terms_in('"year end" 报告  “第 3 季度” x') == ["year end", "报告", "第 3 季度", "x"]
    assert terms_in("上下气道梗阻") == ["上下气道梗阻"]
    assert terms_in('"没有关上') == ["没有关上"]


@pytest.mark.parametrize("args", [{}, {"keywords": " "}, {"keywords": '""'}, {"keywords": None}])
async def test_missing_keywords(args: dict[str, Any]) -> None:
    """S004-09 S004-12: an error in JSON, whatever is missing."""
    answer = await run(await stocked(), "keyword_search", args)
    assert answer == {"error": "keywords parameter is required", "tool": "keyword_search"}


async def test_list_documents() -> None:
    """S004-08: preloaded first, then the newest first; without the preloaded ones; an empty list."""
    desk = await stocked()
    await desk.put("新.txt", "新的内容。")
    answer = await run(desk, "list_documents", {})
    assert (answer["total"], [row["filename"] for row in answer["documents"]]) == (3, ["保修.md", "新.txt", "手册.pdf"])
    assert set(answer["documents"][0]) == {"id", "filename", "mime_type", "is_preloaded", "uploaded_at"}
    assert answer["documents"][0]["uploaded_at"] == "2026-05-01T12:01:00+00:00"
    for no in (False, "false", "0"):
        own = await run(desk, "list_documents", {"include_preloaded": no})
        assert [row["is_preloaded"] for row in own["documents"]] == [False, False]
    assert await run(Desk(), "list_documents", {}) == {"total": 0, "documents": []}


@pytest.mark.parametrize(
    ("tool", "args", "low", "high"),
    [
        ("semantic_search", {"query": "年假", "top_k": 0}, 1, 20),
        ("semantic_search", {"query": "年假", "top_k": 21}, 1, 20),
        ("keyword_search", {"keywords": "年假", "limit": 51}, 1, 50),
        ("keyword_search", {"keywords": "年假", "limit": -1}, 1, 50),
    ],
)
async def test_ranges(tool: str, args: dict[str, Any], low: int, high: int) -> None:
    """S004-D04: an invalid value is an error that lists the range."""
    answer = await run(await stocked(), tool, args)
    assert answer["tool"] == tool and f"{low}..{high}" in answer["error"]


@pytest.mark.parametrize(("value", "found"), [(2.0, 2), ("2", 2), (None, 4), ("2.0", 2)])
async def test_coercion(value: object, found: int) -> None:
    """S004-D04 DOC-07: 5.0, "5" and null behave as their values."""
    answer = await run(await stocked(), "semantic_search", {"query": "年假", "top_k": value})
    assert answer["found"] == found


@pytest.mark.parametrize("value", [2.5, "five", True, [1]])
async def test_values_that_are_no_numbers(value: object) -> None:
    """S004-D04 S004-12: refused in JSON."""
    answer = await run(await stocked(), "semantic_search", {"query": "年假", "top_k": value})
    assert set(answer) == {"error", "tool"} and "top_k" in answer["error"] and "1..20" in answer["error"]


@pytest.mark.parametrize("tool", LISTS)
async def test_isolation(tool: str) -> None:
    """S004-13 DOC-07 S004-D17: a file of the same name in another session is not there, whoever asks and however."""
    desk = await stocked()
    args = {"query": "年假 ZETA-9", "keywords": "ZETA-9 年假", "top_k": 20}
    forged = args | {"session_id": "t2", "thread_id": "t2", "user_id": "乙"}
    for given in (args, forged):
        assert "ZETA" not in json.dumps((await run(desk, tool, given))[LISTS[tool]])
    theirs = json.dumps(await run(desk, tool, args, OTHERS), ensure_ascii=False)
    assert "十五天" not in theirs and "手册.pdf" in theirs
    alien = json.dumps(await run(desk, tool, args, ALIEN), ensure_ascii=False)
    assert "手册.pdf" not in alien


async def test_the_store_is_asked_with_the_run_s_session_alone() -> None:
    """S004-13 S004-D05: every access carries user and thread of the run; arguments that name others are ignored."""
    desk = await stocked()
    for tool in LISTS:
        await run(desk, tool, {"query": "年假", "keywords": "年假", "session_id": "t2", "user_id": "乙"})
    assert isinstance(desk.documents, FakeDocumentStore)
    assert {who for _, who in desk.documents.history} == {DocumentScope(USER, "t1")}


async def test_no_session_in_what_a_model_sees() -> None:
    """S004-D05: neither declarations nor results hold user or session."""
    desk = await stocked()
    shown = json.dumps(desk.toolbox(["documents"]).declarations())
    for tool in LISTS:
        shown += json.dumps(await run(desk, tool, {"query": "年假", "keywords": "年假"}), ensure_ascii=False)
    assert not any(word in shown for word in ('"t1"', "session", USER, "user_id"))


async def test_two_sessions_at_once() -> None:
    """DOC-07: 40 calls of two sessions beside each other never meet."""
    desk = await stocked()

    async def one(number: int) -> None:
        scope, secret = (MINE, "ZETA") if number % 2 else (OTHERS, "十五天")
        tool = [*LISTS][number % 3]
        said = json.dumps(await run(desk, tool, {"query": "年假", "keywords": "年假"}, scope), ensure_ascii=False)
        assert secret not in said and ("手册.pdf" in said)

    await asyncio.gather(*(one(number) for number in range(40)))


async def test_toggles() -> None:
    """S004-06 S004-10 S004-D08: only enabled tools are declared; a disabled one is refused like an unknown one."""
    desk = await stocked()
    assert [one["name"] for one in desk.toolbox(["documents"]).declarations()] == [*TOOLS, "stop"]
    desk.disabled = ("list_documents", "query_table", "keyword_search")
    box = desk.toolbox(["documents"])
    assert [one["name"] for one in box.declarations()] == ["semantic_search", "stop"]
    refused = json.loads((await box.run("list_documents", {}, MINE, 1)).content)
    unknown = json.loads((await box.run("nonsense", {}, MINE, 1)).content)
    assert refused == {
        "error": "Unknown tool: list_documents",
        "tool": "list_documents",
        "valid_tools": ["semantic_search", "stop"],
    }
    assert unknown["valid_tools"] == refused["valid_tools"]


async def test_unknown_tool() -> None:
    """S004-D09 S004-11: the error JSON with the valid names, nothing is raised."""
    answer = await run(await stocked(), "drop_tables", {"x": 1})
    assert answer == {"error": "Unknown tool: drop_tables", "tool": "drop_tables", "valid_tools": [*TOOLS, "stop"]}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("failure", [StoreUnavailable("文档库连不上"), RuntimeError("SELECT c WHERE q='年假'")])
async def test_failures(tool: str, failure: Exception) -> None:
    """S004-12 S004-D02 S004-26 LOP-05: a dead store is an error in JSON without query, never "nothing found"."""
    desk = await stocked()
    assert isinstance(desk.documents, FakeDocumentStore)
    desk.documents.failure = failure
    answer = await run(desk, tool, {"query": "年假", "keywords": "年假"})
    assert set(answer) == {"error", "tool"} and answer["tool"] == tool
    assert not any(word in answer["error"] for word in ("SELECT", "年假", "Traceback"))


async def test_declarations() -> None:
    """DOC-08 S004-11: names, descriptions and parameters as declared to the model, in both languages."""
    box = Desk().toolbox(["documents"])
    semantic, keyword, _, listing, _ = box.declarations()
    assert semantic["description"] == "使用向量相似度搜索相关内容。"
    assert semantic["parameters"]["properties"] == {
        "query": {"type": "string", "description": "检索的问题或描述"},
        "top_k": {"type": "integer", "description": "返回结果数量，1..20，默认 5"},
    }
    assert keyword["description"] == "关键词搜索。" and keyword["parameters"]["required"] == ["keywords"]
    assert keyword["parameters"]["properties"]["keywords"]["description"] == "关键词，空格分隔，引号内为短语"
    assert keyword["parameters"]["properties"]["limit"]["description"] == "返回结果数量，1..50，默认 10"
    assert listing["description"] == "列出可用的文档。"
    assert listing["parameters"]["properties"]["include_preloaded"] == {
        "type": "boolean",
        "description": "是否包含预置文档，默认 true",
    }
    english = json.dumps(box.declarations("en"), ensure_ascii=False)
    assert "1..20, default 5" in english and not any("\u4e00" <= char <= "\u9fff" for char in english)


async def test_a_result_over_the_budget_stays_json() -> None:
    """S004-25 S004-D14: chunks are dropped until it fits, and `truncated` is set."""
    desk = Desk()
    await desk.put("长.txt", *[f"{number} " + "长文" * 450 for number in range(12)])
    answer = await run(desk, "semantic_search", {"query": "长文", "top_k": 12})
    assert answer["truncated"] and 1 <= len(answer["chunks"]) < 12
    assert cost(json.dumps(answer, ensure_ascii=False)) <= 8_000


async def test_evidence() -> None:
    """S003-D17 DOC-02: one chunk is one piece, verbatim, with file, place and offsets; a listed document is one too."""
    desk = Desk()
    row = "品名: 茶 | 价格: 30"
    await desk.put("价格.xlsx", row, locations=[Location(sheet="价格", rows=(4, 4))])
    outcome = await desk.toolbox(["documents"]).run("keyword_search", {"keywords": "茶"}, MINE, 3)
    assert outcome.result is not None
    (piece,) = outcome.result.evidence
    shown = [piece[key] for key in ("kind", "tool", "call", "source", "location", "start", "end")]
    assert shown == ["document", "keyword_search", 3, "价格.xlsx", "工作表 价格，第 4 行", 0, len(row)]
    listed = await desk.toolbox(["documents"]).run("list_documents", {}, MINE, 4)
    assert listed.result is not None
    assert [one["source"] for one in listed.result.evidence] == ["价格.xlsx"]
