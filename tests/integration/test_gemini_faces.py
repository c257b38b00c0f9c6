"""Gemini behind Python, command line and server: the same answer, streamed the same way (DESIGN §5)."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import openai
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.gemini import fault
from tests.gemini.fixtures import gemini, gemini_server
from tests.gemini.parts import as_json, call, text
from tests.gemini.space import Gemini
from tests.integration.cli_story import GRADE, Cli
from tests.integration.live_server import running
from tests.integration.own_server import serving
from tests.temporary import copied
from wenmai.agent import Agent, open_agent
from wenmai.settings.settings import load_settings

__all__ = ["gemini", "gemini_server"]

AGENT = load_settings(_env_file=None).gemini_model
GRADER = load_settings(_env_file=None).grader_model
QUESTION = "苏晚照和苏晚亭是什么关系？"
GRADED = ("--grade", "always")
DRAFT = "苏晚照的哥哥是苏晚亭[E1]。他是灯塔的守塔人[E1]。"
PIECES = ["苏晚照的哥哥是苏晚亭[1]。", "他是灯塔的守塔人[1]。"]


def script(gemini: Gemini) -> None:
    """Play one search, a draft, a passing grade."""
    gemini.play(call("search_memory", {"query": "苏晚亭 守塔人"}), text(DRAFT), model=AGENT)
    gemini.play(as_json(GRADE | {"question_type": "relation"}), model=GRADER)


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    return copied(prepared, tmp_path / "copy")


def own_settings(folder: Path, gemini: Gemini, **more: Any) -> Any:
    return load_settings(
        _env_file=None,
        data_dir=folder / "data",
        trace_dir=folder / "traces",
        google_api_key=gemini.key,
        gemini_base_url=gemini.url,
        **more,
    )


async def events(agent: Agent, **context: Any) -> list[tuple[str, Any]]:
    return [
        (event.kind, event.data) async for event in agent.stream(QUESTION, library="sample", grade="always", **context)
    ]


async def test_python(folder: Path, gemini: Gemini) -> None:
    """S000-28 PLA-08: node and tool events, then the text, then the record, on the embedded stores."""
    script(gemini)
    async with open_agent(own_settings(folder, gemini)) as agent:
        seen = await events(agent, stream_drafts=False)
    gemini.assert_clean()
    kinds = [kind for kind, _ in seen]
    assert [data["text"] for kind, data in seen if kind == "text"] == PIECES and "draft" not in kinds
    assert kinds.index("text") < kinds.index("answer") == len(kinds) - 1
    record = seen[-1][1]
    assert (record["mind"], record["passed"], record["degraded"]) == ("gemini", True, False)
    assert record["answer"] == "".join(PIECES) and record["usage"]["calls"] == 3
    trace = json.loads(Path(record["trace"]).read_text(encoding="utf-8"))
    assert trace["config"]["agent_model"] == AGENT and trace["usage"] == record["usage"]
    assert gemini.key not in json.dumps(trace)


async def test_python_with_drafts(folder: Path, gemini: Gemini) -> None:
    """LOP-19: who streams sees the draft's words first, unless they are not wanted."""
    script(gemini)
    async with open_agent(own_settings(folder, gemini)) as agent:
        seen = await events(agent)
    gemini.assert_clean()
    assert "".join(data["text"] for kind, data in seen if kind == "draft") == "".join(PIECES)
    kinds = [kind for kind, _ in seen]
    assert kinds.index("draft") < kinds.index("text")


@pytest.fixture
def cli(folder: Path) -> Cli:
    return Cli(folder)


def environment(gemini: Gemini) -> dict[str, str]:
    return {
        "GOOGLE_API_KEY": gemini.key,
        "GEMINI_BASE_URL": gemini.url,
        "DATA_DIR": "data",
        "TRACE_DIR": "traces",
    }


def test_command_line(cli: Cli, gemini: Gemini) -> None:
    """S000-28: one question, its record and its cost."""
    script(gemini)
    done = cli.run("ask", QUESTION, "--library", "sample", "--json", **environment(gemini))
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads(done.stdout)
    assert record["answer"] == "".join(PIECES) and record["usage"]["by"][0]["model"] == AGENT


def test_a_failure_is_said_once(cli: Cli, gemini: Gemini) -> None:
    """LOP-11: a dead service costs a conversation one warning, and its terminal no line of a log or a library."""
    wrong = environment(gemini) | {"GOOGLE_API_KEY": "wrong"}
    done = cli.run("chat", "--library", "sample", stdin=f"{QUESTION}\n{QUESTION}\n", **wrong)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Gemini 不接受密钥") == 1 and done.stdout.count("由内置的阅读模型离线完成") == 2


def test_odd_replies_are_quiet(cli: Cli, gemini: Gemini) -> None:
    """PLA-05: what the library says of an empty reply is no business of the terminal; the note names the reason."""
    gemini.play(fault.empty(), fault.blocked("SAFETY"), model=AGENT)
    done = cli.run("ask", QUESTION, "--library", "sample", **environment(gemini))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("没有给出文字（SAFETY）") == 1
    gemini.assert_clean()


def test_chat(cli: Cli, gemini: Gemini) -> None:
    """PLA-08: the text comes once, then citations, verdict and cost; in a pipe drafts only when they are asked for."""
    script(gemini)
    script(gemini)
    first = cli.run("chat", "--library", "sample", *GRADED, stdin=f"{QUESTION}\n", **environment(gemini))
    assert (first.returncode, first.stderr) == (0, "")
    thread = first.stdout.partition("会话：")[2].partition("（")[0]
    assert str(UUID(thread)) == thread and first.stdout.index(thread) < first.stdout.index(QUESTION)
    assert first.stdout.count("苏晚照的哥哥是苏晚亭[1]。他是灯塔的守塔人[1]。") == 1
    assert "[E1]" not in first.stdout and "用量：3 次模型调用" in first.stdout and "离线" not in first.stdout
    second = cli.run(
        "chat", "--library", "sample", "--stream-drafts", *GRADED, stdin=f"{QUESTION}\n", **environment(gemini)
    )
    assert second.stdout.count("苏晚照的哥哥是苏晚亭[1]。他是灯塔的守塔人[1]。") == 2 and "[E1]" not in second.stdout
    gemini.assert_clean()


def test_a_wrong_key_on_the_command_line(cli: Cli, gemini: Gemini) -> None:
    """LOP-11 S003-03: answered by the rules, and the variable to mend is named."""
    done = cli.run("ask", QUESTION, "--library", "sample", **environment(gemini) | {"GOOGLE_API_KEY": "wrong"})
    assert done.returncode == 0, done.stderr
    assert "模型不可用" in done.stdout and "注意：" in done.stdout and "GOOGLE_API_KEY" in done.stdout
    assert "离线模式" not in done.stdout


def test_an_unknown_model_on_the_command_line(cli: Cli, gemini: Gemini) -> None:
    """S003-03: a model id that the service does not know names its variable."""
    own = environment(gemini) | {"GEMINI_MODEL": "gemini-of-tomorrow"}
    done = cli.run("ask", QUESTION, "--library", "sample", **own)
    assert "gemini-of-tomorrow" in done.stdout and "GEMINI_MODEL" in done.stdout


@pytest.fixture
def served(folder: Path, gemini: Gemini) -> Iterator[str]:
    lines = [f"GOOGLE_API_KEY={gemini.key}", f"GEMINI_BASE_URL={gemini.url}"]
    (folder / ".env").write_text("\n".join(lines), encoding="utf-8")
    with ExitStack() as stack:
        yield stack.enter_context(running(folder)).url


@pytest.mark.costly
async def test_server(served: str, gemini: Gemini) -> None:
    """S000-30 PLA-13 PLA-08 LOP-11: messages, updates, custom; drafts on demand; degraded when the service fails."""
    async with get_client(url=served) as client:
        script(gemini)
        quiet = await streamed(client, grade="always")
        script(gemini)
        loud = await streamed(client, stream_drafts=True, grade="always")
        gemini.assert_clean()
        gemini.outage = fault.status(400, "Request contains an invalid argument.")
        failed = await streamed(client)
    custom = [data for event, data in quiet if event == "custom"]
    assert spoken(quiet) == "".join(PIECES)
    assert [one["text"] for one in custom if one["event"] == "text"] == PIECES
    assert not [one for one in custom if one["event"] == "draft"]
    assert spoken(loud) == "".join(PIECES)  # drafts are no messages
    drafts = [data["text"] for event, data in loud if event == "custom" and data["event"] == "draft"]
    assert "".join(drafts) == "".join(PIECES)
    result = [data["result"] for event, data in failed if event == "values" and data.get("result")][-1]
    assert result["degraded"] and result["citations"] and "拒绝了请求" in result["warning"]


@pytest.mark.costly
async def test_a_chat_client(folder: Path, gemini: Gemini) -> None:
    """PLA-36: pieces of the answer, steps and usage of the model's turn; a title asks no model."""
    talk: Any = [{"role": "user", "content": QUESTION}]
    with serving(folder, **environment(gemini)) as live:
        async with openai.AsyncOpenAI(base_url=f"{live.url}/v1", api_key="x", max_retries=0) as client:
            gemini.play(call("search_memory", {"query": "苏晚亭 守塔人"}), text(DRAFT), model=AGENT)
            gemini.play(as_json(GRADE | {"question_type": "relation"}), model=GRADER)
            options: Any = {"stream": True, "stream_options": {"include_usage": True}}
            chunks = [
                one async for one in await client.chat.completions.create(model="sample", messages=talk, **options)
            ]
            asked = len(gemini.history)
            order: Any = [{"role": "system", "content": "请将用户的会话总结为 10 个字以内的标题"}, *talk]
            named = await client.chat.completions.create(model="sample", messages=order)
    gemini.assert_clean()
    deltas = [one.choices[0].delta for one in chunks if one.choices]
    assert [one.content for one in deltas if one.content][: len(PIECES)] == PIECES
    assert "search_memory" in "".join(getattr(one, "reasoning_content", None) or "" for one in deltas)
    usage = chunks[-1].usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens > 0
    assert named.choices[0].message.content == QUESTION.strip("？") and len(gemini.history) == asked > 0


async def streamed(client: LangGraphClient, **context: Any) -> list[tuple[str, Any]]:
    """Ask in a new thread and return every event with its data."""
    modes: Any = ["updates", "messages-tuple", "custom", "values"]
    given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
    thread = (await client.threads.create())["thread_id"]
    run: Any = {"library": "sample", **context}
    stream = client.runs.stream(thread, "agent", input=given, stream_mode=modes, context=run)
    return [(chunk.event, chunk.data) async for chunk in stream]


def spoken(chunks: list[tuple[str, Any]]) -> str:
    """Return the text of the messages of a stream, results of tools left out."""
    messages = [data[0] for event, data in chunks if event.startswith("messages")]
    parts = [message["content"] for message in messages if message["type"] != "tool"]
    return "".join(part if isinstance(part, str) else "".join(b.get("text", "") for b in part) for part in parts)
