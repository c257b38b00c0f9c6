"""Whatever a model service sends and however it fails, a question ends within its caps; over HTTP, on the real client.

RANDOM_SCRIPTS=500 runs more scripts than a usual test run does.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from graph.builder import AgentDependencies, build_graph
from nodes.citations import MARK
from nodes.policy import Policy
from nodes.prompts.planner import user_text
from tests.gemini.conversation import check_conversation
from tests.gemini.models import model
from tests.gemini.parts import Json
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_MODEL, Space
from tests.graph.flaky import Flaky
from tests.graph.random_scripts import Delivered, Script, called, said, scripts
from tests.graph.rig import strict_saver
from tests.graph.talk import Talk
from tests.openai_service.server import ChatServer
from tools.dispatch import STOP
from tools.toolboxes import toolbox_for
from wenmai.minds.model.caller import Breaker
from wenmai.minds.model.client import ModelEndpoint, Provider
from wenmai.minds.model.providers import provider_of
from wenmai.minds.model.providers.openai import OpenAIProvider
from wenmai.observability.traces import TraceFiles, read_trace

EXAMPLES = int(os.environ.get("RANDOM_SCRIPTS", "12"))
KEY = "random-scripts"
TIMEOUT_S = 8.0  # well above any answer that is not meant to hang, on a busy machine too
QUESTION_S = 180.0
ATTEMPTS, ROUNDS, CALLS, TRIES = 3, 5, 5, 3
# An attempt asks for each round and the draft; a turn is asked for twice at most, and each of that tried thrice.
ASKED = ATTEMPTS * (ROUNDS + 1) * 2 * TRIES
ERROR = user_text("error", "zh")
ROW = "[E1] "  # as a row of evidence begins; behind a mark of a draft, an earlier one too, there is no blank


class Stage:
    """What the examples share: a service, a loop, the client's connections, a folder of traces.

    No dataclass: hypothesis would print all of it beside a script that fails.
    """

    def __init__(self, server: Server | ChatServer, runner: asyncio.Runner, provider: Provider, folder: Path) -> None:
        self.server, self.runner, self.provider, self.folder = server, runner, provider, folder
        self.used = 0

    def fresh(self, script: Script) -> tuple[Space, Path]:
        """Return a space with a new script, and an empty folder for its traces."""
        self.used += 1
        if isinstance(self.provider, OpenAIProvider):
            self.provider.abilities.clear()  # what one script made of a server is nothing to the next
        service = self.server.open(KEY)
        service.recorder, service.piece = Delivered(), script.piece
        for id, steps in script.queues.items():
            service.play(*steps, model=id)
        return service, self.folder / str(self.used)


@pytest.fixture(scope="module", params=["gemini", "openai"])
def stage(
    request: pytest.FixtureRequest,
    gemini_server: Server,
    openai_server: ChatServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    server: Server | ChatServer = gemini_server if request.param == "gemini" else openai_server
    provider = provider_of(ModelEndpoint(provider=request.param, key=KEY, base_url=server.url, timeout_s=TIMEOUT_S))
    with asyncio.Runner() as runner:
        yield Stage(server, runner, provider, tmp_path_factory.mktemp("traces"))
        runner.run(provider.close())


@dataclass
class Play(Talk):
    """A graph whose tools fail as the script says, on connections that other graphs use too."""

    script: Script = field(kw_only=True)
    shared: Provider = field(kw_only=True)
    folder: Path = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.provider = self.shared
        self.graph = build_graph(self.parts(), self.saver)

    def parts(self) -> AgentDependencies:
        failures = [*self.script.tools]
        tools: Any = {name: Flaky(tool, failures) for name, tool in self.world.tools().items()}
        toolboxes = lambda toolkits: toolbox_for(toolkits, tools)  # noqa: E731
        return replace(super().parts(), toolboxes=toolboxes, traces=TraceFiles(self.folder))


# Not shrunk: that would take minutes, and a script is short when it is printed.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
WITHOUT_SHRINKING = [Phase.explicit, Phase.reuse, Phase.generate]


@settings(max_examples=EXAMPLES, deadline=None, phases=WITHOUT_SHRINKING, suppress_health_check=SLOW)
@given(script=scripts)
def test_any_script_over_http(stage: Stage, script: Script) -> None:
    """LOP-10 PLA-17 S000-27 S000-D12 S004-24 S003-D12: calls, text, stop, unknown tools, bad arguments, faults at each
    step: each question ends within the caps, every call is answered once, nothing that is sent is refused, each
    question leaves one trace, no draft is lost.
    """
    service, folder = stage.fresh(script)
    play = Play(
        service,
        policy=Policy(on_model_failure=script.on_failure),  # type: ignore[arg-type]  # one of the two
        breaker=Breaker(failures=script.breaker, pause_s=60),
        saver=strict_saver(),
        timeout_s=TIMEOUT_S,
        script=script,
        shared=stage.provider,
        folder=folder,
    )
    for number, question in enumerate(script.questions, 1):
        before = len(service.history)
        result = stage.runner.run(asyncio.wait_for(play.ask(question, **script.context), QUESTION_S))
        check_caps(result, len(service.history) - before, script)
        check_calls(result, service, before)
        check_drafts(result, service, before)
        check_trace(result, folder, number)
    assert service.refused == [] and service.failures == []


def check_caps(result: Json, requests: int, script: Script) -> None:
    """Attempts, rounds, executed calls and requests are bounded."""
    rounds = script.context.get("max_turns", ROUNDS)
    assert result["answer"].strip() and 1 <= len(result["attempts"]) <= ATTEMPTS
    for attempt in result["attempts"]:
        made = [one for one in result["tool_calls"] if one["attempt"] == attempt["attempt"]]
        assert len({one["round"] for one in made if one["tool"] != STOP and one["round"]}) <= rounds
        assert sum(one["ok"] for one in made if one["tool"] != STOP and one["round"]) <= CALLS
    assert requests <= ASKED + 2 * TRIES * ATTEMPTS + 2 * TRIES


def check_calls(result: Json, service: Space, before: int) -> None:
    """Each call that came is recorded once, in order, and what went back answers each call."""
    asked = [pair for request, parts in delivered(service).since(before) if request.may_call for pair in called(parts)]
    own = [one for one in result["tool_calls"] if one["round"] or one["tool"] == STOP]  # the others are the code's
    assert [(one["tool"], one["args"]) for one in own][: len(asked)] == asked
    assert [one["call"] for one in result["tool_calls"]] == list(range(1, len(result["tool_calls"]) + 1))
    for request in service.history[before:]:
        check_conversation(request.contents, model(LOOPBACK_MODEL))


def check_drafts(result: Json, service: Space, before: int) -> None:
    """A text for which there was evidence is the draft of an attempt, but for what notes tell; then no apology."""
    written = [
        said(parts).strip()
        for request, parts in delivered(service).since(before)
        if not called(parts) and ROW in json.dumps(request.contents)
    ]
    drafts = [one["answer"] for one in result["attempts"]]
    notes = [note["text"] for one in read_trace(Path(result["trace"]))["attempts"] for note in one["notes"]]
    changed = [text for text in written if text and text[:200] not in drafts]
    assert [text for text in changed if not any(note in MARK.sub("", text) for note in notes)] == []
    assert result["answer"] != ERROR or not any(written)
    assert {one["evidence"] for one in result["citations"]} <= {one["id"] for one in result["evidence"]}
    assert f"[{len(result['citations']) + 1}]" not in result["answer"]


def check_trace(result: Json, folder: Path, number: int) -> None:
    """Each question has a file of its own."""
    files = list(folder.glob("*.json"))
    trace = read_trace(Path(result["trace"]))
    assert len(files) == number and list(folder.iterdir()) == files
    assert (trace["final_response"], trace["passed"], trace["status"]) == (
        result["answer"],
        result["passed"],
        "finished",
    )
    assert len(trace["attempts"]) == len(result["attempts"])
    listed = [one for attempt in trace["attempts"] for one in attempt["tool_calls"]]
    assert [one["call"] for one in listed] == [one["call"] for one in result["tool_calls"]]


def delivered(service: Space) -> Delivered:
    """Return the recorder of an example."""
    assert isinstance(service.recorder, Delivered)
    return service.recorder
