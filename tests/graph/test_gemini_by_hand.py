"""Another process plays the model for a whole question, over files in a folder."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.gemini.folder import Folder
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.talk import GRADER, talking

PLAYER = Path(__file__).with_name("player.py")


@contextmanager
def playing(folder: Path) -> Iterator[None]:
    """Run the program that answers what stands in the folder."""
    process = subprocess.Popen([sys.executable, str(PLAYER), str(folder)], stderr=subprocess.PIPE)
    try:
        yield
        assert process.poll() is None, "it went on to the end"
    finally:
        process.terminate()
        process.communicate(timeout=120)


async def test_another_process_plays_the_model(service: Space, tmp_path: Path) -> None:
    """LOP-10 S004-D15 S000-18: it sees requests only, and leads a question to a cited answer that passes."""
    service.answer(Folder(tmp_path, wait_s=20))
    with playing(tmp_path):
        async with talking(service, timeout_s=30.0) as talk:
            result = await talk.ask("恰斯卡和卡齐娜是什么关系？")
    service.assert_clean()
    assert [one["tool"] for one in result["tool_calls"]] == ["find_connection", "search_memory", "stop"]
    assert "一见如故" in result["answer"] and [one["n"] for one in result["citations"]] == [1, 2]
    assert (result["passed"], result["grade"]["score"], result["mind"]) == (True, 84, service.provider)
    (attempt,) = talk.traces.records[0]["attempts"]
    assert attempt["reasoning"]["thoughts"] == ["先看两人的关系"] and attempt["stop_reason"] == "sufficient"
    requests = sorted(tmp_path.glob("request-*.json"))
    assert [json.loads(one.read_text("utf-8"))["model"] for one in requests] == [*[LOOPBACK_MODEL] * 3, GRADER]
    assert len(list(tmp_path.glob("response-*.json"))) == len(requests)
