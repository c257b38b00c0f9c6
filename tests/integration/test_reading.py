"""What a reader does with a book, through every door: words found, names seen, a place of one's own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import wenmai
from benchmarks.server_isolation import said
from tests.integration.live_server import wenmai as command
from tests.integration.own_server import serving
from tests.integration.test_own_server import client
from tests.temporary import copied
from tools.errors import InputError
from tools.records import LibraryInfo
from wenmai.application.caller import Caller
from wenmai.application.conversations import ThreadView
from wenmai.application.memories import MemoryView
from wenmai.application.operations import Application
from wenmai.application.own_conversations import OwnConversations
from wenmai.application.paging import Guard
from wenmai.application.reading import ReadingPlace
from wenmai.inputs import FieldError, NotFound

SOURCE = "雾港"
SAMPLE = "/libraries/sample"
WHO = "苏晚亭是谁？"


@pytest.fixture
async def app(prepared: Path, tmp_path: Path) -> AsyncIterator[Application]:
    folder = copied(prepared, tmp_path / "reading")
    async with wenmai.open(data_dir=folder / "data", trace_dir=folder / "traces") as opened:
        assert isinstance(opened, Application)
        yield opened


async def test_words_are_found_where_they_stand(app: Application) -> None:
    """STO-121: in reading order, with the text around them; the guard is part of the query."""
    found = await app.reading.find("sample", "銅羅盤")
    assert [(one.chapter, one.quote) for one in found.items] == [(1, "铜罗盘"), (4, "铜罗盘")]
    first = found.items[0]
    text = (await app.passages.chapter("sample", first.source, chapter=1)).text
    assert text[first.start : first.end] == first.quote
    assert (first.before + first.quote + first.after) in text
    assert (await app.reading.find("sample", "铜罗盘", guard=Guard(as_of_chapter=1))).total == 1
    page = await app.reading.find("sample", "苏晚", limit=2, offset=1)
    assert len(page.items) == 2 and page.total > 3 and page.next == 3
    assert (await app.reading.find("sample", "没有这句话")).total == 0
    for query in ("  ", "长" * 201):
        with pytest.raises(FieldError):
            await app.reading.find("sample", query)


async def test_a_half_remembered_sentence(app: Application) -> None:
    """STO-122: the nearest passages, by words and meaning, and none beyond the guard."""
    nearest = await app.reading.nearest("sample", "那个守灯塔的人是谁家的哥哥来着", limit=2)
    assert nearest.passages[0].chapter == 2 and len(nearest.passages) == 2
    guarded = await app.reading.nearest("sample", "沉船里找到的航海图", guard=Guard(as_of_chapter=2))
    assert guarded.passages and {one.chapter for one in guarded.passages} <= {1, 2}


async def test_people_and_events_are_found_in_either_script(app: Application) -> None:
    """STO-121: names and aliases are compared as words are."""
    assert [one.name for one in (await app.entities.list("sample", query="蘇晚亭")).items] == ["苏晚亭"]
    assert (await app.entities.list("sample", query="蘇晚亭", guard=Guard(as_of_chapter=1))).total == 0
    events = await app.events.list("sample")
    for event in events.items:
        same = await app.events.list("sample", query=event.evidence)
        assert event.id in [one.id for one in same.items]
    assert (await app.events.list("sample", query="没有这件事")).total == 0


async def test_names_in_a_chapter(app: Application) -> None:
    """STO-123: who is named where, as far as a reader knows; a chapter behind the guard is not there."""
    marks = (await app.reading.names("sample", SOURCE, chapter=2)).names
    text = (await app.passages.chapter("sample", SOURCE, chapter=2)).text
    assert {one.name for one in marks} >= {"陆沉舟", "苏晚照", "苏晚亭"}
    assert {text[one.start : one.end] for one in marks if one.name == "苏晚亭"} == {"苏晚亭"}
    assert [one.start for one in marks] == sorted(one.start for one in marks)
    guarded = (await app.reading.names("sample", SOURCE, chapter=1, guard=Guard(as_of_chapter=1))).names
    assert {one.name for one in guarded} >= {"陆沉舟", "苏晚照"} and "苏晚亭" not in {one.name for one in guarded}
    with pytest.raises(NotFound):
        await app.reading.names("sample", SOURCE, chapter=2, guard=Guard(as_of_chapter=1))


async def test_a_place_is_kept_for_each_reader(app: Application) -> None:
    """STO-124: it is the reader's own, lies within the guard, and goes with the reader."""
    here = ReadingPlace(source=SOURCE, part=1, chapter=3, start=5)
    assert await app.reading.place("sample") is None
    kept = await app.reading.set_place("sample", here)
    assert kept.start == 5 and await app.reading.place("sample") == kept
    assert await app.reading.place("sample", guard=Guard(as_of_chapter=2)) is None
    other = await app.for_user("anna")
    assert await other.reading.place("sample") is None
    await other.reading.set_place("sample", ReadingPlace(source=SOURCE, part=1, chapter=1))
    assert await app.reading.place("sample") == kept
    with pytest.raises(NotFound):
        await app.reading.set_place("sample", ReadingPlace(source=SOURCE, part=1, chapter=9))
    nobody = await app.for_user("")
    with pytest.raises(FieldError):
        await nobody.reading.set_place("sample", here)
    assert (await app.users.erase("anna")).places == 1
    assert await other.reading.place("sample") is None and await app.reading.place("sample") == kept


async def test_a_library_that_goes_while_a_user_is_removed(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-67: it ends nothing."""
    known = await app.services.catalog.libraries()

    async def libraries() -> Sequence[LibraryInfo]:
        return [replace(known[0], name="gone"), *known]

    await (await app.for_user("anna")).reading.set_place("sample", ReadingPlace(source=SOURCE, part=1, chapter=1))
    monkeypatch.setattr(app.services.catalog, "libraries", libraries)
    assert (await app.users.erase("anna")).places == 1


async def test_a_key_is_taken_once(app: Application) -> None:
    """Of two memories with one key that come at once the second is refused."""
    first, second = await asyncio.gather(
        *(app.memories.add(text, key="one") for text in ("我喜欢茶。", "我喜欢雨。")), return_exceptions=True
    )
    assert isinstance(first, MemoryView) and isinstance(second, InputError)
    assert (await app.memories.get("one")).memory.content == "我喜欢茶。"


async def test_a_place_in_a_text_that_was_replaced(app: Application) -> None:
    """STO-124: it is the beginning of that chapter in the text that is there now."""
    kept = {"source": "an older file", "part": 1, "chapter": 2, "copy_number": 0, "start": 7}
    await app.services.catalog.put_note("sample", "place:local", {**kept, "changed_at": "2026-01-01T00:00:00Z"})
    found = await app.reading.place("sample")
    assert found is not None and (found.source, found.chapter, found.start) == (SOURCE, 2, 0)


async def test_words_are_found_in_talks(app: Application) -> None:
    """PLA-130: in questions and answers of the caller, not in answers that saw more than the guard shows."""
    answer = await app.conversations.ask(WHO, library="sample")
    found = await app.conversations.find("守塔")
    assert {(one.thread_id, one.number, one.said_in) for one in found.items} == {(answer.thread_id, 1, "answer")}
    one = found.items[0]
    assert one.before + one.quote + one.after in answer.text and one.question == WHO
    assert [one.said_in for one in (await app.conversations.find("苏晚亭是谁", library="sample")).items] == ["question"]
    assert (await app.conversations.find("守塔", library="sample", guard=Guard(as_of_chapter=1))).total == 0
    assert (await app.conversations.find("守塔", library="other")).total == 0
    assert (await (await app.for_user("anna")).conversations.find("守塔")).total == 0
    with pytest.raises(FieldError):
        await app.conversations.find("守塔", guard=Guard(as_of_chapter=1))


async def test_talks_that_go_and_talks_that_are_many(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-130: a thread that is deleted meanwhile is left out; the last used ones alone are read."""
    first, last = [(await app.conversations.ask(WHO, library="sample")).thread_id for _ in range(2)]
    listed = OwnConversations.threads

    async def threads(self: OwnConversations, caller: Caller) -> Sequence[ThreadView]:
        known = await listed(self, caller)
        return [known[0].model_copy(update={"id": "gone"}), *known]

    monkeypatch.setattr(OwnConversations, "threads", threads)
    assert {one.thread_id for one in (await app.conversations.find("守塔")).items} == {first, last}
    monkeypatch.setattr("wenmai.application.conversations.MOST_SEARCHED", 2)
    assert {one.thread_id for one in (await app.conversations.find("守塔")).items} == {last}
    with pytest.raises(FieldError, match="search"):
        await app.conversations.ask(WHO, library="sample", thread_id="search")


async def test_reading_over_http_and_by_commands(prepared: Path, tmp_path: Path) -> None:
    """STO-121 STO-124 PLA-133: the same over HTTP as the user of a key, and by commands beside a server and alone."""
    folder = copied(prepared, tmp_path / "served")
    shown = command(folder, "read", "-l", "sample")
    assert shown.returncode == 0 and "第一回 雾港初遇" in shown.stdout and "下一章：第二回" in shown.stderr, shown
    assert "苏晚亭点亮了灯塔" in command(folder, "read", "-l", "sample", "--next").stdout
    assert "← 上次读到这里" in command(folder, "read", "-l", "sample", "--contents").stdout
    assert command(folder, "read", "-l", "sample", "9").returncode == 2
    assert "-l sample --next" in shown.stderr
    hidden = command(folder, "read", "-l", "sample", "--as-of-chapter", "1")
    assert "第一回 雾港初遇" in hidden.stdout, hidden
    kept = command(folder, "read", "-l", "sample", "--source", "nothing")
    assert kept.returncode == 2, "a text that is not there"
    assert command(folder, "read", "-l", "sample", "--next", "--part", "1").returncode == 2
    kept = command(folder, "read", "-l", "sample")
    assert "苏晚亭点亮了灯塔" in kept.stdout, "the guard has hidden the place and left it"
    found = command(folder, "find", "燈塔", "-l", "sample", "--as-of-chapter", "2")
    assert "【灯塔】" in found.stdout and "防剧透" in found.stdout and "沉船之谜" not in found.stdout
    nearest = command(folder, "find", "那张丢了好多年的图", "-l", "sample")
    assert "最接近的段落" in nearest.stdout and "航海图" in nearest.stdout
    asked = command(folder, "ask", WHO, "-l", "sample", "--thread", "tower")
    assert asked.returncode == 0, asked
    assert WHO in command(folder, "talks").stdout
    talk = command(folder, "talks", "tower")
    assert talk.stdout.startswith(f"# {WHO}") and "守塔人" in talk.stdout and "> 可信度" in talk.stdout, talk
    assert "没有导出" in command(folder, "talks", "tower", "--as-of-chapter", "1").stdout
    assert command(folder, "talks", "tower", "--number", "2").returncode == 2
    keys = {user: said(folder, "keys", "add", "--user", user) for user in ("anna", "ben")}
    place: dict[str, Any] = {"source": SOURCE, "part": 1, "chapter": 2, "start": 3}
    with serving(folder) as live:
        clients = {user: client(live, key) for user, key in keys.items()}
        anna, ben = clients["anna"], clients["ben"]
        assert (await anna.get(f"{SAMPLE}/place")).json() is None
        assert (await anna.put(f"{SAMPLE}/place", json=place)).json()["chapter"] == 2
        assert (await anna.get(f"{SAMPLE}/place")).json()["start"] == 3
        assert (await ben.get(f"{SAMPLE}/place")).json() is None
        assert (await anna.put(f"{SAMPLE}/place", json={**place, "chapter": 9})).status_code == 404
        found_there = await anna.get(f"{SAMPLE}/find", params={"q": "铜罗盘", "as_of_chapter": 1})
        assert [one["chapter"] for one in found_there.json()["items"]] == [1]
        assert (await anna.get(f"{SAMPLE}/find", params={"q": ""})).status_code == 422
        assert (await anna.get(f"{SAMPLE}/nearest", params={"q": "守塔人"})).json()["passages"][0]["chapter"] == 2
        assert (await anna.get(f"{SAMPLE}/chapters/names", params={"source": SOURCE, "chapter": 1})).json()["names"]
        await anna.post("/ask", json={"question": WHO, "library": "sample"})
        assert (await anna.get("/threads/search", params={"q": "守塔"})).json()["total"] > 0
        assert (await ben.get("/threads/search", params={"q": "守塔"})).json()["total"] == 0
        for one in clients.values():
            await one.aclose()
        await asyncio.to_thread(read_from_afar, live.url, keys["ben"], ReadingPlace(**place))


def read_from_afar(url: str, key: str, place: ReadingPlace) -> None:
    """Do the same as a client of the server."""
    with wenmai.connect(url=url, key=key) as remote:
        remote.reading.set_place("sample", place)
        kept = remote.reading.place("sample")
        assert kept is not None and kept.chapter == 2
        assert remote.conversations.find("守塔").total == 0
        assert [one.chapter for one in remote.reading.find("sample", "铜罗盘").items] == [1, 4]
        assert remote.reading.nearest("sample", "守塔人").passages[0].chapter == 2
        assert remote.reading.names("sample", SOURCE, chapter=1).names
