"""The resources of the API on `wenmai serve`: what they show, whom they show it to, what they change."""

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import httpx
import pytest

from tests.documents.files import pdf
from tests.integration.live_server import ALIASES, STORY, LiveServer, wenmai
from tests.integration.own_server import API, serving
from tests.temporary import copied

LATE = "第五回 归来\n\n多年以后，苏晚照回到雾港。苏晚亭在灯塔下迎接苏晚照。\n"
SONGS = {
    "夜曲": [["夜曲", "歌手", "周杰伦"], ["夜曲", "时长", "3分46秒"]],
    "周杰伦": [["周杰伦", "职业", "歌手"], ["周杰伦", "代表作品", "夜曲"], ["周杰伦", "代表作品", "七里香"]],
}
SAMPLE = "/libraries/sample"
LOOP_SECONDS = 10.0  # to answer others while a text is read, on a busy machine too
ENDLESS = "(?:(?:(?:a{1,1000}){1,1000}){1,1000}){1,1000}b"
EDITOR = ["--admin", "--library", "other"]


@pytest.fixture(scope="module")
def own(prepared: Path) -> Iterator[LiveServer]:
    with serving(copied(prepared, prepared.parent / "own_api")) as live:
        yield live


@pytest.fixture
async def http(own: LiveServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=own.url + API, timeout=120) as made:
        yield made


async def got(http: httpx.AsyncClient, path: str, **query: Any) -> Any:
    reply = await http.get(path, params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_a_library(http: httpx.AsyncClient) -> None:
    """Counts, contents, text, passages; pages follow each other."""
    (known,) = (await got(http, "/libraries"))["items"]
    assert known["name"] == "sample" and known["chapters"] == 4 and known["entities"] > 0 and known["problem"] is None
    first = await got(http, f"{SAMPLE}/chapters", limit=3)
    rest = await got(http, f"{SAMPLE}/chapters", limit=3, offset=first["next"])
    numbers = [one["chapter"] for one in first["items"] + rest["items"]]
    assert (numbers, first["total"], rest["next"]) == ([1, 2, 3, 4], 4, None)
    text = await got(http, f"{SAMPLE}/chapters/text", source="雾港", chapter=2)
    assert text["text"].count("苏晚亭") >= 2 and text["title"].startswith("第二回")
    passages = await got(http, f"{SAMPLE}/passages", entity="苏晚亭", to_chapter=2)
    assert passages["total"] == 1 and passages["items"][0]["chapter"] == 2
    one = passages["items"][0]
    assert text["text"][one["start"] : one["end"]] == one["text"]


async def test_evidence_in_its_context(http: httpx.AsyncClient) -> None:
    """What an answer, a relation or an event cites is found by its id, verbatim in its chapter."""
    turn = (await http.post("/ask", json={"question": "苏晚亭是谁？", "library": "sample"})).json()
    pieces = (await got(http, f"/threads/{turn['thread_id']}/turns/1/evidence"))["items"]
    for one in turn["citations"]:
        assert one["evidence"] in [piece["id"] for piece in pieces]
        place = {name: one[name] for name in ("source", "part", "chapter", "start", "end")}
        shown = await got(http, f"{SAMPLE}/quotes", **place, context=10)
        assert shown["quote"] == one["quote"] and shown["title"] == one["title"] and len(shown["before"]) <= 10
        assert (await http.get(f"{SAMPLE}/quotes", params=place | {"as_of_chapter": 0})).status_code == 404
    ids = [(await got(http, f"{SAMPLE}/{kind}", limit=1))["items"][0]["id"] for kind in ("relations", "events")]
    for id in ids:
        piece = await got(http, f"{SAMPLE}/evidence/{id}", context=20)
        text = await got(http, f"{SAMPLE}/chapters/text", source=piece["source"], chapter=piece["chapter"])
        assert piece["quote"] and piece["before"] + piece["quote"] + piece["after"] in text["text"]
        assert text["text"][piece["start"] : piece["end"]] == piece["quote"]
    missing = await http.get(f"{SAMPLE}/evidence/{uuid4()}")
    assert missing.status_code == 404


async def test_the_guard_holds_on_every_read(http: httpx.AsyncClient) -> None:
    """A reader of the first chapter sees nothing of the second, wherever it would stand; misspelled it is refused."""
    guard = {"as_of_chapter": 1}
    assert await got(http, f"{SAMPLE}/guard", **guard) == {"part": 1, "chapter": 1}
    assert await got(http, f"{SAMPLE}/guard") is None
    late = (await got(http, f"{SAMPLE}/passages", from_chapter=2, limit=1))["items"][0]["id"]
    for path in ("chapters", "passages", "entities", "relations", "events", "relation-types"):
        found = await got(http, f"{SAMPLE}/{path}", **guard)
        assert "苏晚亭" not in json.dumps(found, ensure_ascii=False) and "灯塔" not in json.dumps(found), path
        reply = await http.get(f"{SAMPLE}/{path}", params={"as_of_chaptr": 1})
        assert reply.status_code == 422 and reply.json()["errors"][0]["field"] == "query.as_of_chaptr"
        assert (await http.get(f"{SAMPLE}/{path}", params={"as_of_part": 1})).status_code == 422
        twice = await http.get(f"{SAMPLE}/{path}?as_of_chapter=1&as_of_chapter=99")
        assert twice.status_code == 422 and twice.json()["errors"][0]["field"] == "query.as_of_chapter"
    reads: tuple[tuple[str, dict[str, Any]], ...] = (
        (f"evidence/{late}", {}),
        ("entities/苏晚亭", {}),
        ("chapters/text", {"source": "雾港", "chapter": 2}),
    )
    for path, query in reads:
        assert (await http.get(f"{SAMPLE}/{path}", params=query)).status_code == 200, path
        assert (await http.get(f"{SAMPLE}/{path}", params=query | guard)).status_code == 404, path
    near = await got(http, f"{SAMPLE}/neighbours", entity="苏晚照", **guard)
    assert "苏晚亭" not in [one["name"] for one in near["neighbours"]]
    turn = (await http.post("/ask", json={"question": "苏晚亭是谁？", "library": "sample", **guard})).json()
    assert "守塔人" not in json.dumps(turn, ensure_ascii=False)


async def test_entities(http: httpx.AsyncClient) -> None:
    """By name and alias, with their relations; two are merged and parted again."""
    people = (await got(http, f"{SAMPLE}/entities", kind="Character"))["items"]
    assert {"陆沉舟", "苏晚照", "苏晚亭"} <= {one["name"] for one in people}
    whole = {one["name"]: one["mentions"] for one in (await got(http, f"{SAMPLE}/entities"))["items"]}
    first = (await got(http, f"{SAMPLE}/entities", as_of_chapter=1))["items"]
    assert all(0 < one["mentions"] <= whole[one["name"]] for one in first)
    assert any(one["mentions"] < whole[one["name"]] for one in first)
    assert (await got(http, f"{SAMPLE}/entities/晚亭"))["name"] == "苏晚亭"
    assert [one["name"] for one in (await got(http, f"{SAMPLE}/entities", q="晚亭"))["items"]] == ["苏晚亭"]
    related = (await got(http, f"{SAMPLE}/relations", entity="苏晚亭"))["items"]
    assert related and all("苏晚亭" in (one["source"], one["target"]) for one in related)
    near = await got(http, f"{SAMPLE}/neighbours", entity="苏晚照")
    assert "苏晚亭" in [one["name"] for one in near["neighbours"]] and near["edges"]
    merged = await http.post(f"{SAMPLE}/merges", json={"name": "苏晚亭", "into": "苏晚照"})
    assert merged.status_code == 200 and "苏晚亭" in merged.json()["aliases"]
    assert (await got(http, f"{SAMPLE}/entities/苏晚亭"))["merged"] == ["苏晚亭"]
    assert (await http.post(f"{SAMPLE}/splits", json={"name": "苏晚亭"})).status_code == 200
    assert (await got(http, f"{SAMPLE}/entities/苏晚亭"))["name"] == "苏晚亭"


async def test_appearances(http: httpx.AsyncClient) -> None:
    """The counts of the chapters are those of the whole, and end where the guard does."""
    counted = (await got(http, f"{SAMPLE}/appearances"))["entities"]
    for one in (await got(http, f"{SAMPLE}/entities"))["items"]:
        assert sum(count for _, _, count in counted[one["name"]]) == one["mentions"], one
    assert [chapter for _, chapter, _ in counted["苏晚亭"]] == [2, 3]
    early = (await got(http, f"{SAMPLE}/appearances", as_of_chapter=2))["entities"]
    assert [chapter for _, chapter, _ in early["苏晚亭"]] == [2]
    assert "苏晚亭" not in (await got(http, f"{SAMPLE}/appearances", as_of_chapter=1))["entities"]


async def test_a_new_name(http: httpx.AsyncClient) -> None:
    """The old name is an alias and leads to the entity; a split undoes it; names that are taken are refused."""
    before = await got(http, f"{SAMPLE}/entities/陆沉舟")
    renamed = await http.post(f"{SAMPLE}/renames", json={"name": "陆沉舟", "to": "陆大人"})
    assert renamed.status_code == 200 and set(renamed.json()["aliases"]) == {"陆沉舟", "沉舟"}
    after = await got(http, f"{SAMPLE}/entities/陆沉舟")
    changed = {"name": "陆大人", "aliases": after["aliases"]}
    assert after == before | changed | {"merged": ["陆沉舟"], "merged_by": {"陆沉舟": "person"}}
    assert (await got(http, f"{SAMPLE}/relations", entity="陆大人"))["total"] > 0
    for to, status in (("苏晚照", 422), ("陆沉舟", 422), (" 陆", 422), ("陆\u202e", 422)):
        assert (await http.post(f"{SAMPLE}/renames", json={"name": "陆大人", "to": to})).status_code == status, to
    assert (await http.post(f"{SAMPLE}/splits", json={"name": "陆沉舟"})).status_code == 200
    assert await got(http, f"{SAMPLE}/entities/陆沉舟") == before


async def test_a_text_is_taken_in(own: LiveServer, http: httpx.AsyncClient) -> None:
    """A library is made, a text comes in as a job that is watched, can be asked, and goes with a receipt.

    While it is read the server answers others, its neighbours can be read and asked, and other texts of the library
    wait.
    """
    made = await http.post("/libraries", json={"name": "港", "title": "雾港"})
    assert made.status_code == 201 and made.json()["passages"] == 0
    assert (await http.post("/libraries", json={"name": "港", "title": "雾港"})).status_code == 409
    files = {"file": ("雾港.txt", (STORY * 6 + LATE).encode()), "aliases": ("names.json", ALIASES.encode())}
    begun = await http.post("/libraries/港/sources", files=files)
    assert begun.status_code == 202
    job = begun.json()["id"]
    assert (await http.post("/libraries/港/sources", files=files)).status_code == 409
    slowest, events = 0.0, asyncio.create_task(watched(http, job))
    while not events.done():
        before = time.perf_counter()
        await http.get("/me")
        slowest = max(slowest, time.perf_counter() - before)
        for library, codes in (("港", {200, 409}), (SAMPLE.rpartition("/")[2], {200})):
            assert (await http.get(f"/libraries/{library}/entities")).status_code in codes
            asked = await http.post("/ask", json={"question": "谁在灯塔下迎接苏晚照？", "library": library})
            assert asked.status_code in codes, asked.text
        await asyncio.sleep(0.05)
    names, last = await events
    assert names[-1] == "end" and last["state"] == "done" and last["result"]["passages"] > 0, last
    assert last["progress"]["done"] == last["progress"]["total"] and "progress" in names
    assert slowest < LOOP_SECONDS
    assert (await got(http, f"/jobs/{job}"))["state"] == "done"
    turn = (await http.post("/ask", json={"question": "谁在灯塔下迎接苏晚照？", "library": "港"})).json()
    assert "苏晚亭" in turn["answer"]
    receipt = await http.delete("/libraries/港/sources/雾港")
    assert receipt.status_code == 200 and receipt.json()["passages"] == last["result"]["passages"]
    gone = await http.delete("/libraries/港")
    assert gone.status_code == 200 and (await http.get("/libraries/港")).status_code == 404
    assert (await got(http, SAMPLE))["problem"] is None
    assert "Traceback" not in own.log


async def test_a_library_that_is_changed_is_left_alone(own: LiveServer, http: httpx.AsyncClient) -> None:
    """While a text comes in nothing else changes the library; afterwards it can go, and its name is as new."""
    await http.post("/libraries", json={"name": "忙", "title": "雾港"})
    files = {"file": ("雾港.txt", (STORY * 6).encode())}
    job = (await http.post("/libraries/忙/sources", files=files)).json()["id"]
    changes: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("DELETE", "", {}),
        ("DELETE", "/sources/雾港", {}),
        ("POST", "/sources", {"files": files}),
        ("POST", "/merges", {"json": {"name": "苏晚亭", "into": "苏晚照"}}),
        ("POST", "/renames", {"json": {"name": "苏晚亭", "to": "晚亭姑娘"}}),
        ("POST", "/splits", {"json": {"name": "苏晚亭"}}),
    )
    for unit in (None, "passages"):
        while unit and ((await got(http, f"/jobs/{job}"))["progress"] or {}).get("unit") != unit:
            assert (await got(http, f"/jobs/{job}"))["state"] == "running"
            await asyncio.sleep(0.01)
        for method, path, sent in changes:
            reply = await http.request(method, f"/libraries/忙{path}", **sent)
            assert reply.status_code == 409 and reply.headers["content-type"] == "application/problem+json", path
    _, last = await watched(http, job)
    assert last["state"] == "done" and (await got(http, "/libraries/忙"))["chapters"] == 24, last
    assert (await http.delete("/libraries/忙")).status_code == 200
    again = await http.post("/libraries", json={"name": "忙", "title": "雾港"})
    assert again.status_code == 201 and not again.json()["entities"]
    assert (await http.delete("/libraries/忙")).status_code == 200
    assert not [path for path in own.data.iterdir() if "忙" in path.name] and "Traceback" not in own.log


async def watched(http: httpx.AsyncClient, job: str) -> tuple[list[str], dict[str, Any]]:
    """Return the events of a job, and what the last one says."""
    names, last = [], "{}"
    async with http.stream("GET", f"/jobs/{job}/events") as reply:
        async for line in reply.aiter_lines():
            name, _, data = line.partition(": ")
            names += [data] if name == "event" else []
            last = data if name == "data" else last
    return names, json.loads(last)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("../../x.txt", STORY, None),
        (".hidden", STORY, "文件名"),
        ("雾" * 120 + ".txt", STORY, "文件名"),
        ("空.txt", "", "空"),
        ("x.exe", "MZ", "不支持 .exe"),
        ("x", STORY, "没有扩展名"),
    ],
)
async def test_files_that_are_no_texts(http: httpx.AsyncClient, name: str, data: str, reason: str | None) -> None:
    """A name is a name, never a path; what plainly cannot be read is refused with its reason before a job begins."""
    library = f"t{uuid4().hex[:8]}"
    await http.post("/libraries", json={"name": library, "title": "试"})
    begun = await http.post(f"/libraries/{library}/sources", files={"file": (name, data.encode())})
    if reason is not None:
        assert begun.status_code == 422 and reason in begun.json()["detail"] and "/tmp" not in begun.text
        assert [one["field"] for one in begun.json()["errors"]] == ["file"]
        return
    _, last = await watched(http, begun.json()["id"])
    assert begun.status_code == 202 and last["state"] == "done", last


async def test_parts_of_a_form(http: httpx.AsyncClient) -> None:
    """A title has a length, one file is one file; the library keeps its own title."""
    library = f"t{uuid4().hex[:8]}"
    await http.post("/libraries", json={"name": library, "title": "试"})
    text = ("file", ("雾港.txt", STORY.encode()))
    path = f"/libraries/{library}/sources"
    sent: tuple[tuple[str, list[Any], dict[str, Any], str], ...] = (
        (path, [text], {"title": "题" * 201}, "title"),
        (path, [text, ("file", ("其二.txt", STORY.encode()))], {}, "file"),
        (path, [text], {"title": ["甲", "乙"]}, "title"),
        ("/previews", [text, ("file", ("其二.txt", STORY.encode()))], {}, "file"),
    )
    for where, files, data, field in sent:
        reply = await http.post(where, files=files, data=data)
        assert reply.status_code == 422 and [one["field"] for one in reply.json()["errors"]] == [field], reply.text
    assert (await got(http, f"/libraries/{library}"))["title"] == "试"


@pytest.mark.parametrize("names", [{"file": "aliases", "aliases": "a.json"}, {"file": "graph", "graph": "a.csv"}])
async def test_files_in_each_other_s_way(http: httpx.AsyncClient, names: dict[str, str]) -> None:
    """Odd names are refused, and the connection stays."""
    library = f"t{uuid4().hex[:8]}"
    await http.post("/libraries", json={"name": library, "title": "试"})
    files = [(part, (name, STORY.encode())) for part, name in names.items()]
    twice = [("file", ("a.txt", STORY.encode())), *(("graph", ("a.csv", b"x")) for _ in range(2))]
    for sent in (files, twice):
        reply = await http.post(f"/libraries/{library}/sources", files=sent)
        assert reply.status_code == 422 and "重复" in reply.json()["detail"]
    long = await http.post("/networks/n1", files={"file": ("雾" * 120 + ".csv", b"x")})
    assert long.status_code == 422 and long.headers["x-content-type-options"] == "nosniff"


async def test_a_text_is_looked_at_before_it_is_taken_in(http: httpx.AsyncClient) -> None:
    """A preview stores nothing; the mended list divides the book as it was shown, under the language that was named."""
    file = {"file": ("雾港.txt", STORY.encode())}
    before = (await got(http, "/libraries"))["total"]
    found = (await http.post("/previews", files=file, data={"show": "1"})).json()
    assert [one["number"] for one in found["chapters"]] == [1, 2, 3, 4] and found["title"] == "雾港"
    assert found["lines"][0].startswith("陆沉舟与苏晚照结为好友") and found["language"] == "zh"
    headings = "第一回 雾港初遇\t初遇\n== 下卷\n第四回 离别"
    mended = (await http.post("/previews", files=file, data={"headings": headings})).json()
    assert [(one["title"], one["volume"]) for one in mended["chapters"]] == [("初遇", ""), ("第四回 离别", "下卷")]
    assert (await got(http, "/libraries"))["total"] == before
    await http.post("/libraries", json={"name": "卷", "title": "雾港"})
    begun = await http.post("/libraries/卷/sources", files=file, data={"headings": headings, "language": "en"})
    _, last = await watched(http, begun.json()["id"])
    assert last["state"] == "done", last
    assert [one["title"] for one in (await got(http, "/libraries/卷/chapters"))["items"]] == ["初遇", "第四回 离别"]
    assert (await http.delete("/libraries/卷")).json()["chapters"] == 2


@pytest.mark.parametrize(
    ("name", "data", "fields", "reason"),
    [
        ("空.txt", b"", {}, "无法导入 空.txt：文件是空的"),
        ("x.bin", b"MZ", {}, "不支持 .bin"),
        ("a.txt", STORY.encode(), {"headings": "第九章"}, "找不到"),
        ("a.txt", STORY.encode(), {"headings": "第九章", "chapters": "toc"}, "只能给一个"),
        ("a.txt", STORY.encode(), {"show": "4"}, "没有第 4 个"),
        ("a.txt", STORY.encode(), {"show": "x"}, "必须是整数"),
        ("a.txt", STORY.encode(), {"chapters": "("}, "不是有效的正则表达式"),
        ("a.txt", b"a" * 50_000, {"chapters": ENDLESS}, "请写得简单一些"),
    ],
)
async def test_a_preview_says_what_is_wrong(
    http: httpx.AsyncClient, name: str, data: bytes, fields: dict[str, str], reason: str
) -> None:
    reply = await http.post("/previews", files={"file": (name, data)}, data=fields)
    assert reply.status_code == 422 and reason in reply.json()["detail"] and "/tmp" not in reply.text


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("en", "en"),
        ("en-US,en;q=0.9,zh;q=0.8", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en;q=0.5,zh-TW", "zh"),
        ("*", "zh"),
    ],
)
async def test_the_language_of_the_caller(http: httpx.AsyncClient, asked: str, language: str) -> None:
    """Accept-Language decides the words of refusals, of wrong fields and of what is odd in a text."""
    http.headers["accept-language"] = asked
    missing = (await http.get("/libraries/keine/chapters")).json()["detail"]
    wrong = (await http.get("/libraries", params={"limit": 0})).json()["detail"]
    refused = (await http.post("/previews", files={"file": ("a.txt", b"")})).json()["detail"]
    odd = (await http.post("/previews", files={"file": ("a.txt", STORY.replace("第三回", "第二回").encode())})).json()[
        "odd"
    ]
    said = {
        "zh": ("没有名为 keine 的资料库", "不能小于 1", "文件是空的", "书中标为第 2 章，按位置是第 3 章"),
        "en": (
            "there is no library keine",
            "must be at least 1",
            "the file is empty",
            "the text calls it chapter 2, but by its position it is chapter 3",
        ),
    }[language]
    assert [words in text for words, text in zip(said, (missing, wrong, refused, *odd), strict=True)] == [True] * 4


async def test_the_sample_and_the_model_are_tried(http: httpx.AsyncClient) -> None:
    """The English story that comes along is one request away; without a model a test of it says who answers."""
    begun = await http.post("/sample", json={"language": "en"})
    _, last = await watched(http, begun.json()["id"])
    assert begun.status_code == 202 and last["state"] == "done" and last["result"]["library"] == "sample_en", last
    assert (await http.delete("/libraries/sample_en")).json()["chapters"] == last["result"]["chapters"]
    tested = (await http.post("/settings/test")).json()
    assert tested["model"] is None and tested["ok"] and tested["text"]


async def test_documents(http: httpx.AsyncClient) -> None:
    thread = str(uuid4())
    files = {"file": ("说明.txt", "雾港的灯塔建于一九〇二年。".encode())}
    stored = await http.post("/documents", data={"thread_id": thread}, files=files)
    assert stored.status_code == 201 and stored.json()["replaced"] is None
    turn = await http.post(
        f"/threads/{thread}/ask", json={"question": "灯塔建于哪一年？", "toolkits": ["documents"], "mode": "rag"}
    )
    assert "一九〇二" in turn.json()["answer"]
    assert (await got(http, "/documents", thread_id=thread))["total"] == 1
    id = stored.json()["document"]["id"]
    assert (await http.delete(f"/documents/{id}", params={"thread_id": str(uuid4())})).status_code == 404
    assert (await http.delete(f"/documents/{id}", params={"thread_id": thread})).json()["chunks"] == 1
    assert (await http.post("/documents", data={"thread_id": thread})).status_code == 422


async def test_a_collection_of_documents(http: httpx.AsyncClient) -> None:
    """DOC-41 DOC-42: all threads see it, a question may name folders; moved, replaced, read around, drawn, removed."""
    collection = {"collection": "true"}

    async def stored(name: str, data: bytes, **fields: str) -> dict[str, Any]:
        reply = await http.post("/documents", data={**collection, **fields}, files={"file": (name, data)})
        assert reply.status_code == 201, reply.text
        found: dict[str, Any] = reply.json()
        return found

    leave = (await stored("假期 2023.md", "年假每年五天。".encode(), folder="手册"))["document"]
    await stored("门.md", "钥匙由老赵保管。".encode())
    assert leave["folder"] == "手册"
    assert (await got(http, "/documents", thread_id="另一个会话"))["total"] == 2
    assert [one["filename"] for one in (await got(http, "/documents", folder=""))["items"]] == ["门.md"]
    asked = {"question": "谁保管钥匙？", "toolkits": ["documents"]}
    turn = (await http.post("/threads/收藏/ask", json=asked)).json()
    assert "老赵" in turn["answer"] and turn["grade"]["score"] and turn["confidence"] > 0.5
    assert "老赵" not in (await http.post("/ask", json={**asked, "folders": ["手册"]})).json()["answer"]

    newer = await stored("假期 2024.md", "年假每年十天。".encode(), replaces="假期 2023.md")
    assert newer["replaced"]["id"] == leave["id"] and newer["document"]["folder"] == "手册"
    told = (await got(http, "/documents/search", q="年假", folder="手册"))["items"]
    assert [one["source"] for one in told] == ["手册/假期 2024.md"]
    taken = await http.post("/documents/moves", params=collection, json={"to": "手册", "names": ["没有.md"]})
    assert taken.status_code == 404
    moved = await http.post("/documents/moves", params={"folder": ""}, json={"to": "手册", "names": []})
    assert [one["folder"] for one in moved.json()["documents"]] == ["手册"]

    guide = (await stored("guide.pdf", pdf(["Turn the key."], ["Hold the lamp button for three seconds."])))["document"]
    found = (await got(http, "/documents/search", q="lamp button", folder=""))["items"][0]
    place = await got(http, f"/documents/pieces/{found['id']}", thread_id="任何")
    assert (place["document"]["id"], place["page"]) == (guide["id"], 2)
    assert place["text"][place["start"] : place["end"]] == found["text"]
    page = await http.get(f"/documents/{guide['id']}/pages/2", params=collection)
    assert page.headers["content-type"] == "image/jpeg" and page.content.startswith(b"\xff\xd8\xff")
    assert (await http.get(f"/documents/{guide['id']}/pages/3", params=collection)).status_code == 404
    assert (await http.get(f"/documents/{newer['document']['id']}/pages/1", params=collection)).status_code == 404
    assert (await http.get(f"/documents/pieces/{uuid4()}", params=collection)).status_code == 404
    both = await http.get("/documents", params={"thread_id": "x", "folder": "手册"})
    assert both.status_code == 422
    assert (await http.delete("/documents/guide.pdf", params=collection)).json()["chunks"] == 2
    back = await http.post("/documents/moves", params=collection, json={"to": "", "names": ["手册/门.md"]})
    assert [one["folder"] for one in back.json()["documents"]] == [""]
    assert (await http.delete("/documents/旧/门.md", params=collection)).status_code == 404
    await http.post("/documents/moves", params=collection, json={"to": "旧", "names": ["门.md"]})
    assert (await http.delete("/documents/旧/门.md", params=collection)).json()["chunks"] == 1
    assert (await http.delete("/documents", params={"folder": "手册"})).json()["chunks"] == 1
    assert (await got(http, "/documents", collection=True))["total"] == 0


async def test_memories(http: httpx.AsyncClient) -> None:
    """Kept, found, changed with its history, hidden where sensitive, exported, forgotten."""
    kept = (await http.post("/memories", json={"content": "数据库的端口是 5433", "type": "general"})).json()
    hidden = (await http.post("/memories", json={"content": "口令是 1234", "is_sensitive": True})).json()
    assert hidden["content"] == "[敏感记忆]" and hidden["keywords"] == []
    found = await got(http, "/memories/search", q="数据库的端口")
    assert found["items"][0]["memory"]["key"] == kept["key"]
    changed = await http.patch(f"/memories/{kept['key']}", json={"content": "数据库的端口是 5432"})
    assert changed.json()["content"] == "数据库的端口是 5432"
    detail = await got(http, f"/memories/{kept['key']}")
    assert [one["content"] for one in detail["history"]] == ["数据库的端口是 5433"]
    assert (await got(http, "/memories"))["total"] == 2
    export = (await http.get("/memories/export")).text
    assert len(export.splitlines()) == 3 and "5433" in export and "1234" not in export
    assert (await http.delete(f"/memories/{kept['key']}")).json()["memories"] == 2
    assert (await http.get(f"/memories/{kept['key']}")).status_code == 404
    assert (await http.patch(f"/memories/{kept['key']}", json={"content": "x"})).status_code == 404
    assert (await http.delete(f"/memories/{hidden['key']}")).status_code == 200


async def test_tools(http: httpx.AsyncClient) -> None:
    """Typed arguments and results, the statuses of their errors."""
    tools = {one["name"]: one for one in (await got(http, "/tools"))["items"]}
    assert {"ask", "list_libraries", "vector_search", "knowledge_network_retrieval", "search_memories"} <= set(tools)
    assert "library" in tools["vector_search"]["arguments"]["required"]
    found = await http.post("/tools/vector_search", json={"query": "灯塔", "library": "sample"})
    assert found.status_code == 200 and any("灯塔" in one["text"] for one in found.json()["evidence"])
    before = (await got(http, "/threads"))["total"]
    asked = await http.post("/tools/ask", json={"question": "苏晚亭是谁？", "library": "sample"})
    assert "守塔人" in asked.json()["answer"] and (await got(http, "/threads"))["total"] == before
    searched = await http.post("/tools/search_memories", json={"query": "端口", "search_mode": "semantic"})
    assert searched.status_code == 200 and searched.json()["total_found"] == 0
    wrong = await http.post("/tools/vector_search", json={"query": "灯塔", "library": "nope"})
    assert wrong.status_code == 422 and "nope" in wrong.json()["error"]
    missing = await http.post("/tools/get_memory_detail", json={"memory_key": "m1"})
    assert (missing.status_code, missing.json()["error_code"]) == (422, "not_found")
    assert (await http.post("/tools/nothing", json={})).status_code == 404
    unknown = await http.post("/tools/knowledge_network_retrieval", json={"query": "船", "kn_ids": ["nope"]})
    assert unknown.status_code == unknown.json()["status_code"] == 404


async def test_what_a_key_opens(prepared: Path, tmp_path: Path) -> None:
    """PLA-34: its libraries alone, for every way in; only one with the right changes them."""
    folder = copied(prepared, tmp_path / "rights")
    keys = {}
    for user, more in (("all", []), ("none", ["--library", "other"]), ("admin", ["--admin"]), ("editor", EDITOR)):
        keys[user] = wenmai(folder, "keys", "add", "--user", user, *more).stdout.strip()
    listed = wenmai(folder, "keys", "list").stdout
    assert "admin" in listed and "资料库：other" in listed
    asked = {"question": "苏晚亭是谁？", "library": "sample"}
    with serving(folder) as live:
        clients = {
            user: httpx.AsyncClient(base_url=live.url + API, headers={"authorization": f"Bearer {key}"}, timeout=60)
            for user, key in keys.items()
        }
        limited, usual, admin = clients["none"], clients["all"], clients["admin"]
        assert (await got(limited, "/libraries"))["total"] == 0 and (await got(usual, "/libraries"))["total"] == 1
        assert (await got(limited, "/me"))["libraries"] == ["other"]
        for path in ("", "/chapters", "/passages", "/entities", "/relations", "/events", "/relation-types"):
            assert (await limited.get(SAMPLE + path)).status_code == 404, path
            assert (await usual.get(SAMPLE + path)).status_code == 200, path
        assert (await limited.post("/ask", json=asked)).status_code == 404
        assert (await usual.post("/ask", json=asked)).status_code == 200
        for tool in ("ask", "vector_search"):
            given = {"query": "灯塔", "library": "sample"} if tool != "ask" else asked
            reply = await limited.post(f"/tools/{tool}", json=given)
            assert reply.status_code == 422 and "守塔人" not in reply.text
        assert (await limited.post("/tools/list_libraries", json={})).json()["libraries"] == []
        for who, chapters in ((limited, []), (usual, [1])):
            guarded = await who.post("/tools/list_libraries", json={"as_of_chapter": 1, "as_of_part": 2})
            assert [one["chapters"] for one in guarded.json()["libraries"]] == chapters
        job = (await admin.post("/sample", json={"language": "en"})).json()["id"]
        assert (await got(clients["editor"], "/jobs"))["total"] == 0 and (await got(admin, "/jobs"))["total"] == 1
        for method in ("GET", "DELETE"):
            assert (await clients["editor"].request(method, f"/jobs/{job}")).status_code == 404
        assert (await got(admin, f"/jobs/{job}"))["state"] in ("running", "done")
        for method, path, body in (
            ("POST", "/libraries", {"name": "n", "title": "n"}),
            ("POST", "/libraries", {}),
            ("POST", f"{SAMPLE}/merges", {"name": "苏晚亭", "into": "苏晚照"}),
            ("POST", f"{SAMPLE}/merges", {"name": ""}),
            ("POST", f"{SAMPLE}/renames", None),
            ("POST", f"{SAMPLE}/splits", {"unknown": 1}),
            ("POST", f"{SAMPLE}/splits", {"name": "苏晚亭"}),
            ("DELETE", SAMPLE, None),
            ("DELETE", f"{SAMPLE}/sources/雾港", None),
            ("DELETE", "/networks/n1", None),
            ("POST", "/sample", {}),
            ("POST", "/settings/test", None),
        ):
            assert (await usual.request(method, path, json=body)).status_code == 403, path
        upload = {"file": ("x.txt", STORY.encode())}
        assert (await usual.post(f"{SAMPLE}/sources", files=upload)).status_code == 403
        assert (await usual.post("/networks/n1", files=upload)).status_code == 403
        assert (await usual.post("/networks/n1/preview", files=upload)).status_code == 403
        assert (await usual.post("/previews", files=upload)).status_code == 403
        assert (await admin.delete(SAMPLE)).json()["chapters"] == 4
        for one in clients.values():
            await one.aclose()


async def test_networks(http: httpx.AsyncClient) -> None:
    """Imported from a file of triples, looked at, asked, deleted with a receipt."""
    files = {"file": ("songs.json", json.dumps(SONGS, ensure_ascii=False).encode())}
    done = await http.post("/networks/songs", files=files)
    assert done.status_code == 200 and done.json()["written"] and done.json()["is_inferred"], done.text
    assert (await http.post("/networks/songs", files=files)).json()["written"] is False
    (known,) = (await got(http, "/networks"))["items"]
    assert known["id"] == "songs" and known["instances"] > 0
    schema = await got(http, "/networks/songs")
    assert schema["object_types"] and all(one["properties"] for one in schema["object_types"])
    (seen, *_) = (await got(http, "/networks/songs/instances", q="夜曲"))["items"]
    assert "周杰伦" in json.dumps(seen, ensure_ascii=False)
    turn = await http.post(
        "/ask", json={"question": "夜曲的歌手是谁？", "toolkits": ["knowledge"], "kn_ids": ["songs"]}
    )
    assert "周杰伦" in turn.json()["answer"]
    wrong = await http.post("/networks/songs", files={"file": ("x.json", b"[1")})
    assert wrong.status_code == 422 and (await got(http, "/networks"))["total"] == 1
    assert (await http.delete("/networks/songs")).json()["counts"]["instances"] == known["instances"]
    assert (await http.delete("/networks/songs")).status_code == 404
    assert (await http.get("/networks/songs")).status_code == 404


async def test_a_network_of_several_tables(http: httpx.AsyncClient) -> None:
    """CSV files together, or packed, are one network; what is no archive is refused."""
    tables = {"ship.csv": "ship_id,name,captain_id\n1,海棠号,7\n", "captain.csv": "captain_id,name\n7,陆沉舟\n"}
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, text in tables.items():
            archive.writestr(f"fleet/{name}", text)
    sent = [("file", (name, text.encode())) for name, text in tables.items()]
    loose = (await http.post("/networks/loose", files=sent)).json()
    zipped = (await http.post("/networks/zipped", files={"file": ("f.zip", packed.getvalue())})).json()
    assert loose["counts"] == zipped["counts"] and loose["counts"]["instances"] == 2 and zipped["is_inferred"]
    wrong = await http.post("/networks/zipped", files={"file": ("f.zip", b"PK")})
    assert wrong.status_code == 422 and "ZIP" in wrong.json()["detail"]
    for id in ("loose", "zipped"):
        assert (await http.delete(f"/networks/{id}")).status_code == 200


async def test_a_network_is_looked_at_and_put_right_before_it_is_kept(http: httpx.AsyncClient) -> None:
    """A preview stores nothing; the same corrections make the network that was shown."""
    tables = {"ship.csv": "ship_id,name,home\n1,海棠号,N\n2,白鹭号,S\n", "port.csv": "port_id,letter\n1,N\n2,S\n"}
    sent = [("file", (name, text.encode())) for name, text in tables.items()]
    found = (await http.post("/networks/fleet/preview", files=sent)).json()
    assert found["instances"] == {"ship": 2, "port": 2} and found["is_inferred"] and found["relation_types"] == []
    added = [{"source": "ship", "column": "home", "target": "port"}]
    data = {"mending": json.dumps({"name": "船队", "keys": {"port": ["letter"]}, "added": added})}
    right = (await http.post("/networks/fleet/preview", files=sent, data=data)).json()
    (relation,) = right["relation_types"]
    assert (relation["column"], relation["target"], relation["links"]) == ("home", "port", 2)
    double = {"mending": json.dumps({"keys": {"port": ["none"]}})}
    assert (await http.post("/networks/fleet/preview", files=sent, data=double)).status_code == 422
    assert (await got(http, "/networks"))["total"] == 0
    done = (await http.post("/networks/fleet", files=sent, data=data)).json()
    schema = await got(http, "/networks/fleet")
    assert done["counts"]["relations"] == 2 and schema["name"] == "船队"
    keys = {one["name"] for kind in schema["object_types"] for one in kind["properties"] if one["is_key"]}
    assert keys == {"ship_id", "letter"}
    assert (await http.delete("/networks/fleet")).status_code == 200


async def test_keys_are_made_and_ended_through_the_server(tmp_path: Path) -> None:
    """PLA-140: by who may administer everything; the first one closes the server, its maker goes on with it."""
    with serving(tmp_path) as live:
        async with httpx.AsyncClient(base_url=live.url + API, timeout=60) as http:
            assert (await http.get("/keys")).json()["is_open"]
            for body in ({"user": "ann"}, {"user": "ann", "is_admin": True, "libraries": ["sample"]}):
                shut_out = await http.post("/keys", json=body)
                assert shut_out.status_code == 422 and shut_out.json()["errors"][0]["field"] == "is_admin"
            first = (await http.post("/keys", json={"user": "ann", "is_admin": True})).json()
            assert (await http.get("/keys")).status_code == 401
            http.headers["authorization"] = f"Bearer {first['token']}"
            made = await http.post("/keys", json={"user": "bo", "name": "desk", "libraries": ["sample"], "days": 7})
            assert made.status_code == 201 and made.json()["key"]["libraries"] == ["sample"]
            listed = (await http.get("/keys")).text
            assert '"user":"bo"' in listed and made.json()["token"] not in listed and "digest" not in listed
            for body in ({"user": " "}, {"user": "x", "days": 0}, {"user": "x", "admin": True}):
                assert (await http.post("/keys", json=body)).status_code == 422
            assert (await http.delete(f"/keys/{first['key']['id']}")).status_code == 422
            limited = (await http.post("/keys", json={"user": "cy", "is_admin": True, "libraries": ["a"]})).json()
            for token in (made.json()["token"], limited["token"]):
                own = {"authorization": f"Bearer {token}"}
                assert (await http.get("/keys", headers=own)).status_code == 403
                assert (await http.post("/keys", json={"user": "x"}, headers=own)).status_code == 403
                assert (await http.delete(f"/keys/{first['key']['id']}", headers=own)).status_code == 403
            ended = await http.delete(f"/keys/{made.json()['key']['id']}")
            assert ended.json()["revoked_at"]
            closed = {"authorization": f"Bearer {made.json()['token']}"}
            assert (await http.get("/me", headers=closed)).status_code == 401
