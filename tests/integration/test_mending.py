"""What a person mends of a book: kinds, names, aliases, tables, a newer manuscript; the same by a server."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.integration.live_server import LiveServer
from tests.integration.own_server import serving
from tests.temporary import copied
from tools.errors import InputError, StoreError, StoreUnfinished
from wenmai.application.entities import Narrator
from wenmai.application.operations import Application
from wenmai.application.paging import EVERY, Guard
from wenmai.client.client import Client
from wenmai.ingestion.library.mending import separate_alias
from wenmai.inputs import FieldError
from wenmai.opening import open as open_wenmai

STORY = (
    "第一回 渡口\n\n阿满在渡口卖茶。阿满的哥哥叫周老三，人称三郎。\n\n三郎坐在渡口，不说话。\n\n"
    "第二回 过河\n\n周老三撑船送阿满过河。临江镇在对岸，阿满问周老三：“临江镇远吗？”\n\n"
    "第三回 归来\n\n三郎回来了，阿满哭了。"
)
EDITED = STORY.replace("阿满哭了", "阿满笑了").replace("第三回 归来", "第三回 重逢")
ALIASES = '{"mention": {"周老三": ["三郎"], "阿满": [], "临江镇": []}, "type": {"临江镇": "地名"}}'
RELATIONS = "source,type,target,chapter,evidence\n周老三,FAMILY_OF,阿满,1,阿满的哥哥叫周老三\n"
Door = Application | Client


@pytest.fixture(scope="module")
def live(prepared: Path) -> Iterator[LiveServer]:
    with serving(copied(prepared, prepared.parent / "mending")) as server:
        yield server


@pytest.fixture(params=["stores", "server"])
async def app(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Door]:
    """The story with its aliases and one relation."""
    given: dict[str, Any] = {"data_dir": tmp_path / "data", "trace_dir": tmp_path / "traces"}
    there = {"url": request.getfixturevalue("live").url} if request.param == "server" else given
    for name, text in (("ferry.txt", STORY), ("aliases.json", ALIASES), ("kin.csv", RELATIONS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    async with open_wenmai(**there) as opened:
        files = [tmp_path / "aliases.json", tmp_path / "kin.csv"]
        await opened.libraries.ingest(tmp_path / "ferry.txt", "ferry", title="渡口", graph=files)
        yield opened
        await opened.libraries.delete("ferry", everything=True)


async def cast(app: Door) -> dict[str, tuple[str, int]]:
    """Return every entity with its kind and how many passages name it."""
    rows = (await app.entities.list("ferry", limit=EVERY)).items
    return {one.name: (one.kind, one.mentions) for one in rows}


async def ties(app: Door) -> list[tuple[str, str, str]]:
    return sorted((one.source, one.type, one.target) for one in (await app.relations.list("ferry", limit=EVERY)).items)


async def changed(app: Door) -> list[str]:
    return [one.id for one in (await app.entities.changes("ferry")).changes]


async def test_each_decision_is_listed_and_taken_back_by_itself(app: Door) -> None:
    """STO-131: a kind, no name, a better name, a narrator: in any order, each exactly."""
    before, edges = await cast(app), await ties(app)
    assert before["临江镇"][0] == "Location" and ("周老三", "FAMILY_OF", "阿满") in edges
    done = await app.entities.set_kind("ferry", "临江镇", "Organization")
    assert (done.change.id, done.change.what, (await cast(app))["临江镇"][0]) == ("kind:临江镇", "kind", "Organization")
    await app.entities.set_kind("ferry", "阿满", None)
    assert "阿满" not in await cast(app) and all("阿满" not in edge for edge in await ties(app))
    await app.entities.rename("ferry", "临江镇", "临江城")
    assert (await cast(app))["临江城"] == ("Organization", before["临江镇"][1])
    await app.entities.set_narrator("ferry", Narrator(name="周老三", first=2, last=3))
    assert await changed(app) == ["name:临江镇", "kind:临江镇", "kind:阿满", "narrator::2:3:周老三"]
    assert (await app.entities.changes("ferry", guard=Guard(as_of_chapter=1))).changes == []
    for id in ("kind:阿满", "narrator::2:3:周老三", "kind:临江镇", "name:临江镇"):
        assert (await app.entities.undo("ferry", id)).change.id == id
    assert (await cast(app), await ties(app), await changed(app)) == (before, edges, [])
    with pytest.raises(InputError, match="kind:临江镇"):
        await app.entities.undo("ferry", "kind:临江镇")


async def test_an_alias_becomes_somebody_else_and_comes_back(app: Door) -> None:
    """STO-132: passages that name only the alias are its own; a later ingest keeps it."""
    before = await cast(app)
    done = await app.entities.split("ferry", "三郎")
    assert (done.into, "三郎" in done.aliases_before, "三郎" in done.aliases) == ("周老三", True, False)
    after = await cast(app)
    assert after["三郎"][1] >= 2 and after["周老三"][1] < before["周老三"][1]
    await app.libraries.ingest("ferry-2.txt", "ferry", content=EDITED.encode(), replaces="ferry")
    assert (await cast(app))["三郎"] == after["三郎"] and await changed(app) == ["alias:三郎"]
    await app.entities.undo("ferry", "alias:三郎")
    assert await cast(app) == before
    with pytest.raises(InputError):
        await app.entities.split("ferry", "渡口那边")


async def test_a_decision_that_was_made_twice_is_taken_back_once(app: Door) -> None:
    """STO-131: equal decisions on a narrator are one in the list, and go together."""
    before = await cast(app)
    for _ in range(2):
        await app.entities.set_narrator("ferry", Narrator(name="周老三", first=2, last=3))
    assert await changed(app) == ["narrator::2:3:周老三"]
    await app.entities.undo("ferry", "narrator::2:3:周老三")
    assert (await changed(app), await cast(app)) == ([], before)
    assert {one.by for one in (await app.entities.narrators("ferry")).chapters} == {"text"}


@dataclass
class Interrupted:
    """A catalog whose process ends after some notes of what was drawn from chapters."""

    inner: Any
    left: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def put_note(self, library: str, key: str, value: Any) -> None:
        if key.startswith("drawn:"):
            if not self.left:
                raise StoreError("interrupted")
            self.left -= 1
        await self.inner.put_note(library, key, value)


@pytest.mark.parametrize("app", ["stores"], indirect=True)
async def test_an_interrupted_separation_is_made_again(app: Door) -> None:
    """STO-132: it is marked as unfinished, and the same command makes it whole."""
    assert isinstance(app, Application)
    before, stores = await cast(app), app.services.stores
    broken: Any = Interrupted(stores.catalog, 1)
    with pytest.raises(StoreError, match="interrupted"):
        await separate_alias(replace(stores, catalog=broken), "ferry", "三郎")
    with pytest.raises(StoreUnfinished):
        await cast(app)
    await app.entities.split("ferry", "三郎")
    made, edges = await cast(app), await ties(app)
    await app.entities.undo("ferry", "alias:三郎")
    assert await cast(app) == before
    await app.entities.split("ferry", "三郎")
    assert made["三郎"][1] >= 2 and (await cast(app), await ties(app)) == (made, edges)


async def test_a_newer_manuscript_takes_the_place_of_the_older(app: Door) -> None:
    """STO-133: whatever its file is called; merges, names and tables stay, and nothing is there twice."""
    await app.entities.rename("ferry", "阿满", "小满")
    edges = await ties(app)
    report = await app.libraries.ingest("渡口 第二稿.txt", "ferry", content=EDITED.encode(), replaces="ferry")
    assert report.unchanged > 0 and report.written > 0 and report.chapters == 3
    held = await app.libraries.get("ferry")
    assert (held.sources, held.title, held.chapters) == (["ferry"], "渡口", 3)
    assert [one.title for one in (await app.passages.chapters("ferry")).items][-1] == "第三回 重逢"
    assert "小满" in await cast(app) and await ties(app) == edges and await changed(app) == ["name:阿满"]
    with pytest.raises((FieldError, InputError), match="ferry"):
        await app.libraries.ingest("x.txt", "ferry", content=EDITED.encode(), replaces="nothing")


async def test_tables_that_came_along_count_again(app: Door, tmp_path: Path) -> None:
    """STO-135: in a later ingest that brings none of their kind, until they are dropped; what was added stays."""
    file, taught, more = tmp_path / "ferry.txt", tmp_path / "taught.csv", tmp_path / "more.csv"
    lesson, edge = "周老三撑船送阿满过河", ("周老三", "TEACHER_OF", "阿满")
    taught.write_text(f"source,type,target,chapter,evidence\n周老三,TEACHER_OF,阿满,2,{lesson}\n", encoding="utf-8")
    report = await app.libraries.ingest(file, "ferry", title="渡口", graph=[taught])
    assert report.kept_tables == {"names": 3, "relations": 0, "events": 0}
    people, edges = await cast(app), await ties(app)
    assert edge in edges and people["临江镇"][0] == "Location"
    report = await app.libraries.ingest(file, "ferry", title="渡口")
    assert (report.written, report.kept_tables) == (0, {"names": 3, "relations": 1, "events": 0})
    file.write_text(EDITED, encoding="utf-8")
    assert (await app.libraries.ingest(file, "ferry", title="渡口")).written > 0
    assert (await ties(app), (await cast(app)).keys()) == (edges, people.keys())
    more.write_text("source,type,target,chapter\n周老三,OWNER_OF,渡船,2\n", encoding="utf-8")
    await app.libraries.add_tables("ferry", [more])
    report = await app.libraries.ingest(file, "ferry", title="渡口", without_tables=True)
    left = await ties(app)
    assert report.kept_tables == {} and edge not in left and ("周老三", "OWNER_OF", "渡船") in left
    assert (await app.libraries.ingest(file, "ferry", title="渡口")).kept_tables == {}
    assert edge not in await ties(app)


async def test_an_alias_that_somebody_else_has_tags_nothing(app: Door, tmp_path: Path) -> None:
    """STO-134: only one that nobody has."""
    before, names = await cast(app), tmp_path / "more.csv"
    names.write_text("name,alias\n临江镇,三郎\n", encoding="utf-8")
    assert (await app.libraries.add_tables("ferry", [names])).passages == 0
    assert (await cast(app))["临江镇"][1] == before["临江镇"][1]


async def test_tables_come_later_and_stay(app: Door, tmp_path: Path) -> None:
    """STO-134: aliases, relations and events as CSV and JSON; a newer text keeps them."""
    names, kin = tmp_path / "more.csv", tmp_path / "more.json"
    names.write_text("name,alias\n阿满,满姑娘\n茶客,渡口\n", encoding="utf-8")
    kin.write_text(
        '[{"source": "周老三", "type": "LOCATED_IN", "target": "临江镇", "target_kind": "Location", "chapter": 2},'
        ' {"name": "过河", "event_type": "encounter", "characters": ["阿满", "周老三"], "chapter": 2}, {"name": 1}]',
        encoding="utf-8",
    )
    done = await app.libraries.add_tables("ferry", [names, kin])
    assert (done.source, done.names, done.relations, done.events, len(done.bad)) == ("ferry", 2, 1, 1, 1)
    assert ("周老三", "LOCATED_IN", "临江镇") in await ties(app) and "茶客" in await cast(app)
    assert "满姑娘" in (await app.entities.get("ferry", "阿满")).aliases
    await app.libraries.ingest("b.txt", "ferry", content=EDITED.encode(), replaces="ferry")
    assert {("周老三", "LOCATED_IN", "临江镇"), ("周老三", "FAMILY_OF", "阿满")} <= set(await ties(app))
    assert "茶客" in await cast(app)
    assert [one.name for one in (await app.events.list("ferry", entity="阿满")).items].count("过河") == 1
