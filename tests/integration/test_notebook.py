"""Scripts and notebooks: `wenmai.ask` for one question, `wenmai.connect` for all operations, without `await`."""

import asyncio
import gc
import inspect
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import wenmai
from state.result import TurnResult
from tests.integration.cli_story import STORY, Cli
from tests.integration.own_server import serving


@pytest.fixture
def ingested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A library in the folder that this process works with too."""
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / ".wenmai"))
    monkeypatch.setenv("TRACE_DIR", str(tmp_path / "traces"))
    cli = Cli(tmp_path)
    done = cli.run("ingest", "story.txt", "--library", "ferry")
    assert done.returncode == 0, done.stderr
    return cli


def test_a_question_and_its_follow_up_need_no_await(ingested: Cli) -> None:
    first = wenmai.ask("沈河在对岸开了什么？", library="ferry")
    second = wenmai.ask("他的左腿怎么了？", library="ferry", thread_id=first.thread_id)

    assert "茶铺" in first.text and first.citations
    assert first.citations[0]["quote"] in first._repr_html_()
    assert "沈河" in second.record["resolved_question"]


def test_a_notebook_shows_an_answer_as_text_whatever_a_book_holds() -> None:
    quote = {"n": 1, "label": "《<b>》", "quote": "<script>alert(1)</script>"}
    shown = wenmai.Answer(TurnResult.model_construct(answer="<i>他</i>[1]\n\n走了", citations=[quote]))._repr_html_()

    assert "<script" not in shown and "<i>" not in shown and "<b>" not in shown
    assert shown.count("<p>") == 2 and '<li value="1">' in shown


def test_it_is_asked_beside_a_running_loop_and_leaves_the_stores_to_others(ingested: Cli) -> None:
    async def cell() -> wenmai.Answer:
        return wenmai.ask("阿满今年多大？", library="ferry")

    assert "十四岁" in asyncio.run(cell()).text
    assert "十四岁" in ingested.run("ask", "阿满今年多大？", "--library", "ferry").stdout


def test_a_wrong_field_is_refused(ingested: Cli) -> None:
    with pytest.raises(ValueError, match="as_of_chaptr"):
        wenmai.ask("阿满是谁？", library="ferry", as_of_chaptr=1)  # type: ignore[call-arg]


CLINIC = Path(__file__).parents[1] / "ontology_service" / "data" / "clinic"


@pytest.fixture(params=["stores", "server"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder without any library: its stores are free, or a server holds them."""
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / ".wenmai"))
    monkeypatch.setenv("TRACE_DIR", str(tmp_path / "traces"))
    with serving(tmp_path) if request.param == "server" else nullcontext():
        yield tmp_path


def test_a_notebook(folder: Path) -> None:
    """One cell a line, the same on free stores and through the server that holds them."""
    app = wenmai.connect()
    try:
        assert app.libraries.ingest(folder / "story.txt", "ferry").chapters == 3
        people = [one.name for one in app.entities.list("ferry", kind="Character").items]
        assert {"沈青", "沈河"} <= set(people)

        app.entities.merge("ferry", "阿满", "沈青")
        assert "阿满" not in [one.name for one in app.entities.list("ferry").items]
        app.entities.split("ferry", "阿满")
        assert "阿满" in [one.name for one in app.entities.list("ferry").items]

        answer = app.conversations.ask("沈河在对岸开了什么？", library="ferry")
        assert "茶铺" in answer.text and answer.citations[0]["quote"] in answer._repr_html_()
        further = app.conversations.ask("他的左腿怎么了？", library="ferry", thread_id=answer.thread_id)
        assert "沈河" in str(further.result.resolved_question)

        kept = app.memories.add("我喜欢喝龙井茶")
        assert [one.memory.key for one in app.memories.search("喜欢喝什么茶？").items] == [kept.key]

        stored = app.documents.upload(
            "notes.md", content="# 账本\n\n茶铺三月进账四十两。".encode(), thread_id=answer.thread_id
        )
        told = app.conversations.ask("茶铺三月进账多少？", toolkits=["documents"], thread_id=answer.thread_id)
        assert "四十两" in told.text and stored.document.filename == "notes.md"

        assert app.networks.load(CLINIC).counts["instances"] == 25
        sick = app.conversations.ask("上、下气道梗阻的患病率是多少？", toolkits=["knowledge"], kn_ids=["clinic"])
        assert "0.05%" in sick.text
    finally:
        app.close()


def test_what_a_notebook_can_do_else(ingested: Cli) -> None:
    """Steps come one by one, names are completed, errors are the operation's own; what is closed can be opened anew."""
    with wenmai.connect() as app:
        steps = [one.kind for one in app.conversations.stream("阿满今年多大？", library="ferry")]
        assert steps[0] == "thread" and steps[-1] == "answer"
        assert {"conversations", "libraries", "memories"} <= set(dir(app))
        assert {"ask", "stream", "list"} <= set(dir(app.conversations))
        assert "session_context" in inspect.signature(app.conversations.ask).parameters
        with pytest.raises(wenmai.LibraryNotFound, match="nowhere") as error:
            app.conversations.ask("阿满是谁？", library="nowhere")
        assert any(one.name == "_run_fields" or "conversations" in str(one.path) for one in error.traceback)
        (thread,) = app.conversations.list().items
        assert app.conversations.turns(thread.id).items[0].answer
        assert app.conversations.evidence(thread.id, 1).items
        app.conversations.delete(thread.id)
        with pytest.raises(wenmai.InputError, match="没有名为"):
            app.conversations.get(thread.id)
    with wenmai.connect() as app:
        assert app.conversations.list().total == 0


def test_who_interrupts_a_stream_goes_on(ingested: Cli) -> None:
    """Ctrl-C while a question waits or is answered is KeyboardInterrupt alone; a closed application is forgotten."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    app = wenmai.connect()
    with app:
        first = app.conversations.stream("阿满今年多大？", library="ferry", thread_id="one")
        while next(first).kind == "thread":
            pass  # its turn has begun
        second = app.conversations.stream("阿满今年多大？", library="ferry", thread_id="one")
        assert next(second).kind == "thread"
        earlier = signal.signal(signal.SIGALRM, interrupt)
        try:
            for seconds, stream in ((0.2, second), (0.005, first)):  # one waits, one is answered
                with pytest.raises(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, seconds)
                    list(stream)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, earlier)
        for stream in (second, first):  # where the alarm rang before `list` had asked it, it is open
            stream.close()
        assert "十四岁" in app.conversations.ask("阿满今年多大？", library="ferry", thread_id="one").text
        assert app.for_user("bob").conversations.list().total == 0 < app.conversations.list().total
    known = weakref.ref(app)
    del app, first, second
    gc.collect()
    assert known() is None


def test_a_script_that_closes_nothing_ends(ingested: Cli) -> None:
    """What is open at the end of a process is closed there, and another one has the stores."""
    script = "import wenmai; app = wenmai.connect(); print(app.conversations.ask('阿满今年多大？').text)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ingested.folder,
        env=ingested.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and "十四岁" in done.stdout and done.stderr == "", done.stderr
    assert "十四岁" in ingested.run("ask", "阿满今年多大？", "--library", "ferry").stdout


async def test_operations_with_await(ingested: Cli) -> None:
    async with wenmai.open(user="ada") as app:
        answer = await app.conversations.ask("沈河在对岸开了什么？", thread_id="a name")
        assert "茶铺" in answer.text and answer.thread_id == "a name"
        assert [one.id for one in (await app.conversations.list()).items] == ["a name"]
        assert (await app.tools.call("list_libraries", {})).structured["libraries"][0]["name"] == "ferry"
    async with wenmai.open(user="bob") as app:
        with pytest.raises(wenmai.InputError):
            await app.conversations.ask("后来呢？", thread_id="a name")
    with pytest.raises(TypeError):
        async with wenmai.open(data_dirr="x"):
            pass
