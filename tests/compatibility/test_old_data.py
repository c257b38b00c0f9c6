"""What earlier versions wrote is read and written on: libraries, networks, memories, documents, threads, keys."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import wenmai
from tests.command_line import own_log
from tests.compatibility.write_data import SESSION, USER, commands
from tests.integration.cli_story import STORY
from tests.temporary import unpack
from tools.errors import InputError
from wenmai.access.keyring import KeyFile, KeyRing
from wenmai.app.clock import now
from wenmai.cli.app import run

ARCHIVES = sorted(Path(__file__).parent.glob("*.tar.xz"))
SINCE_MERGES = [path for path in ARCHIVES if not path.name.startswith("b4e4a13")]


def name_of(archive: Path) -> str:
    """Return which version wrote an archive."""
    return archive.name.split(".")[0]


@pytest.fixture(params=ARCHIVES, ids=name_of)
def data_dir(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of a data folder of before, with the environment that leads to it."""
    unpack(request.param, tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TRACE_DIR", str(tmp_path / "traces"))
    return tmp_path / "data"


@pytest.fixture
async def agent(data_dir: Path) -> AsyncIterator[wenmai.Agent]:
    """Return an agent on it."""
    async with wenmai.open_agent(data_dir=data_dir, trace_dir=data_dir.parent / "traces") as opened:
        yield opened


async def test_a_library_answers(agent: wenmai.Agent) -> None:
    answer = await agent.ask("铜灯的灯座底下刻着哪四个字？", library="story")
    assert answer.record["passed"] and "风停即返" in answer.text
    assert {citation["source"] for citation in answer.citations} == {"story"}


async def test_a_refusal_says_how_sure_it_is(agent: wenmai.Agent) -> None:
    """LOP-09: also where a guarded question names what its reader has not met."""
    answer = await agent.ask("周老三教阿满吹什么？", library="story", as_of_chapter=1)
    assert answer.record["status"] == "not_found" and (answer.record["confidence"] or 0) > 0.5


@pytest.mark.usefixtures("data_dir")
def test_an_argument_that_is_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    with own_log():
        assert run(["knowledge", "show", "ships", "\udcff"]) == 2
        assert "请检查输入的编码" in capsys.readouterr().err


async def test_a_thread_goes_on(agent: wenmai.Agent) -> None:
    answer = await agent.ask("他的茶铺开在哪里？", library="story", thread_id=SESSION, user_id=USER)
    assert answer.record["resolved_question"] == "沈河的茶铺开在哪里？"
    with pytest.raises(InputError):
        await agent.ask("他的茶铺开在哪里？", library="story", thread_id=SESSION, user_id="mallory")


async def test_what_a_thread_holds_is_read(data_dir: Path) -> None:
    """Its first turn was written by that version, the second by this one."""
    async with wenmai.open(data_dir=data_dir, trace_dir=data_dir.parent / "traces", user=USER) as app:
        await app.conversations.ask("他的茶铺开在哪里？", library="story", thread_id=SESSION)
        old, new = (await app.conversations.turns(SESSION)).items
        assert (old.question, new.resolved_question) == ("沈河的左腿是怎么断的？", "沈河的茶铺开在哪里？")
        assert {one["source"] for turn in (old, new) for one in turn.citations} == {"story"}
        assert [one.title for one in (await app.conversations.list()).items] == ["沈河的左腿是怎么断的？"]
        await app.conversations.delete(SESSION)
        with pytest.raises(InputError, match="没有名为 talk-1 的会话：请用 --thread"):
            await app.conversations.turns(SESSION)


async def test_memories_are_recalled(agent: wenmai.Agent) -> None:
    record = await agent.recall("我最喜欢的人物", USER)
    assert [memory["content"] for memory in record["memories"]] == ["我最喜欢的人物是沈青。"]
    assert not (await agent.recall("我最喜欢的人物", "mallory")).get("memories")


@pytest.mark.parametrize("data_dir", SINCE_MERGES, indirect=True, ids=name_of)
def test_a_sensitive_memory_is_shown_and_forgotten(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with own_log():
        assert run(["memory", "show", "safe", "--user", USER]) == 2
        assert run(["memory", "show", "safe", "--user", USER, "--sensitive"]) == 0
        assert '附加信息：{"sensitive": true}' in capsys.readouterr().out
        assert run(["memory", "forget", "safe", "--user", USER, "--yes"]) == 0
        assert run(["memory", "show", "safe", "--user", USER, "--sensitive"]) == 2


@pytest.mark.parametrize("data_dir", SINCE_MERGES, indirect=True, ids=name_of)
async def test_a_merge_is_undone(data_dir: Path) -> None:
    async with wenmai.open(data_dir=data_dir, trace_dir=data_dir.parent / "traces") as app:
        assert (await app.entities.get("story", "周老三")).merged == ["阿满"]
        parted = await app.entities.split("story", "阿满")
        assert "阿满" in parted.aliases_before and "阿满" not in parted.aliases
        assert (await app.entities.get("story", "阿满")).name == "阿满"


async def test_documents_are_searched(agent: wenmai.Agent) -> None:
    assert [entry.filename for entry in await agent.documents(SESSION, USER)] == ["handbook.md"]
    answer = await agent.ask("差旅报销要在几天内提交发票？", toolkits=["documents"], thread_id=SESSION, user_id=USER)
    assert "三十天" in answer.text


async def test_a_network_answers(agent: wenmai.Agent) -> None:
    answer = await agent.ask("云雀号的船长是谁？", toolkits=["knowledge"], kn_ids=["ships"])
    assert "温若水" in answer.text


async def test_keys_open(data_dir: Path) -> None:
    ring = KeyRing(KeyFile(data_dir / "keys.json"), (), now, lambda: 0.0, required=False)
    key = await ring.find((data_dir.parent / "key.txt").read_text(encoding="utf-8"))
    assert key is not None and key.user == USER


def test_the_source_is_written_on(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reader finds the names anew, once; then only what changed is written, and the library can be deleted."""
    commands(data_dir.parent)  # its files
    story, aliases = data_dir.parent / "story.txt", data_dir.parent / "aliases.json"
    ingest = ["ingest", str(story), "--library", "story", "--title", "白石渡", "--aliases", str(aliases)]
    with own_log():
        assert run(ingest) == run(ingest) == 0
        assert "没有变化" in capsys.readouterr().out
        story.write_text(STORY.replace("柳笛", "竹笛"), encoding="utf-8")
        assert run(ingest) == 0
        assert "新写 1 段，未变 2 段" in capsys.readouterr().out
        assert run(["delete", "story", "--yes"]) == 0
    assert not (data_dir / "story").exists()
