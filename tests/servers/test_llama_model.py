"""Questions through llama.cpp's own server, whose model is random: whatever it says, a turn ends well."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import ROOT
from tests.integration.cli_story import ALIASES, STORY, Cli
from tests.servers.random_model import write_model
from wenmai.agent import open_agent
from wenmai.settings.settings import load_settings

LIBRARY = "crossing"
QUESTION = "灯座底下刻着哪几个字？"
STATUSES = {"answer", "not_found", "clarify", "chat"}
MODEL = "nonsense"
MOST = 64  # tokens of an answer: enough for some JSON, too few for other, and quick


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of its own for this module."""
    model = write_model(tmp_path_factory.mktemp("model") / f"{MODEL}.gguf")
    command = [sys.executable, "-m", "devservers.llama", str(model), "--most", str(MOST), "--threads", "1"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as running:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "make services installs xllamacpp and gguf"
        yield address
        running.terminate()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small library."""
    place = tmp_path_factory.mktemp("story")
    (place / "story.txt").write_text(STORY, encoding="utf-8")
    (place / "names.json").write_text(json.dumps(ALIASES), encoding="utf-8")
    done = Cli(place).run("ingest", "story.txt", "-l", LIBRARY, "--aliases", "names.json")
    assert done.returncode == 0, done.stderr
    return place


def model_at(address: str) -> dict[str, str]:
    return {"OPENAI_BASE_URL": address, "OPENAI_MODEL": MODEL}


def ends_well(record: dict[str, Any]) -> None:
    """The record is whole: the model was asked, and something with a status reaches the user, from whichever mind."""
    assert record["answer"].strip() and record["status"] in STATUSES and record["attempts"]
    assert record["mind"] == ("offline" if record["degraded"] else "openai")
    assert "404" not in (record["warning"] or "") and "连不上" not in (record["warning"] or "")
    assert record["usage"]["calls"] >= 1 and record["usage"]["input_tokens"] > 0


@pytest.mark.parametrize("more", [[], ["--grade", "always"]], ids=["as shipped", "graded"])
def test_a_question_is_answered(server: str, folder: Path, more: list[str]) -> None:
    """S003-03 PLA-31: through the installed command; how poor the answer is lies with the model."""
    done = Cli(folder).spawn("ask", QUESTION, "-l", LIBRARY, "--json", *more, **model_at(server))
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    ends_well(json.loads(done.stdout))


async def test_a_follow_up_is_streamed(server: str, folder: Path) -> None:
    """Steps and the draft come as they are made, and the record last, in both turns of a session."""
    settings = load_settings(
        _env_file=None,
        data_dir=folder / ".wenmai",
        trace_dir=folder / "traces",
        openai_base_url=server,
        openai_model=MODEL,
    )
    async with open_agent(settings) as agent:
        for question in (QUESTION, "它是谁的？"):
            events = [
                event async for event in agent.stream(question, library=LIBRARY, thread_id="talk", stream_drafts=True)
            ]
            ends_well(dict(events[-1].data))
            assert {"node", "tool", "text"} <= {event.kind for event in events}


def test_doctor_says_what_works(server: str, folder: Path) -> None:
    """PLA-31: one line of the server; a random model makes no calls that were asked for."""
    done = Cli(folder).run("doctor", **model_at(server))
    (line,) = [line for line in done.stdout.splitlines() if "模型服务" in line]
    assert done.returncode == 0 and f"{MODEL}：工具不可用" in line
    assert "流式可用，用量可用" in line and "以其他方式代替" in line
