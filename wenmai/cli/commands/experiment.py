"""`wenmai experiment`: questions with known answers, and how well they were answered."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tools.errors import InputError, ModelError
from tools.wording import Words
from wenmai.cli.options import AliasesOption
from wenmai.cli.output.terminal import UNPRICED, open_log, out, remark
from wenmai.cli.placing import run_local, stores
from wenmai.cli.refusals import NO_MODEL, NO_QUESTIONS, NO_UPLOAD, OF_LIBRARY, OF_NETWORK

if TYPE_CHECKING:
    from langsmith import Client

    from wenmai.agent import Agent
    from wenmai.experiments.questions import ExpectedTalk
    from wenmai.experiments.runner import TurnOutcome
    from wenmai.settings.settings import Settings

Mind = Literal["model", "gemini", "offline"]
HELPED = Words(
    "有 {count} 轮在模型失败后由内置的阅读模型离线完成（degraded）：它们的分数不是模型的",
    "{count} turns were answered offline by the reader after the model failed (degraded): their figures are not the "
    "model's",
)
FAILED_TURNS = Words(
    "有 {count} 轮没有得到回答（failed）：按答错计分，原因见 --json 文件各轮的 warning",
    "{count} turns got no answer (failed): they count as wrong; the warning of each turn in the --json file says why",
)
STOPPED = Words(
    "连续 {turns} 轮没有得到模型的回答，评测已停止：{warning}",
    "no answer of the model in {turns} turns in a row, the experiment has stopped: {warning}",
)
GIVEN_UP = 3  # turns in a row without an answer of the model: what comes would be no better, and may cost money


def experiment(
    library: Annotated[str, typer.Option("--library", "-l", help="Library to ask.")] = "sample",
    network: Annotated[
        str | None, typer.Option("--network", "-n", help="Ask a knowledge network instead; harbor is the sample's.")
    ] = None,
    questions: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, help="Questions (JSON lines); several are allowed."),
    ] = None,
    sessions: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Conversations (JSON lines).")
    ] = None,
    aliases: AliasesOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first turns.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, help="Write figures and turns here.")
    ] = None,
    upload: Annotated[bool, typer.Option("--upload", help="Keep data set and results in LangSmith.")] = False,
    mind: Annotated[
        Mind, typer.Option(help="Who answers; model (or gemini, an older word) costs money, --limit bounds it.")
    ] = "offline",
    judges: Annotated[
        bool, typer.Option("--judges/--no-judges", help="With a model: a model judges each answer.")
    ] = True,
) -> None:
    """Ask questions with known answers and print the measures per question type."""
    has_judge = judges and mind != "offline"
    trial = Trial(library, network, questions or [], sessions, aliases, limit, upload, mind, has_judge)
    if not questions and not sessions:
        take_sample(trial)
    try:
        run_local(run_trial(trial))
    except BaseException:
        if trial.outcomes:  # what was paid for is kept, whatever ended the rest
            show(trial.outcomes, json_file)
        raise
    show(trial.outcomes, json_file)


@dataclass(slots=True)
class Trial:
    library: str
    network: str | None
    questions: list[Path]
    sessions: Path | None
    aliases: Path | None
    limit: int | None
    upload: bool
    mind: Mind
    has_judge: bool
    outcomes: list["TurnOutcome"] = field(default_factory=list)

    @property
    def context(self) -> dict[str, Any]:
        if self.network is None:
            return {"library": self.library}
        return {"toolkits": ["knowledge"], "kn_ids": [self.network]}


def show(outcomes: list["TurnOutcome"], json_file: Path | None) -> None:
    from wenmai.experiments.runner import ALL, by_type, plain, table

    rows = by_type(outcomes)
    out().print(table(rows))
    for line in remarks(rows.get(ALL, {})):
        remark(line, "yellow")
    if json_file:
        json_file.write_text(json.dumps(plain(outcomes), ensure_ascii=False, indent=1), encoding="utf-8")


def remarks(row: Mapping[str, float | int | None]) -> list[str]:
    from wenmai.experiments.runner import DEGRADED, FAILED

    helped, failed = row.get(DEGRADED), row.get(FAILED)
    said = [HELPED.say(count=helped)] if helped else []
    said += [FAILED_TURNS.say(count=failed)] if failed else []
    return said + ([UNPRICED.say()] if row.get("usd", 0.0) is None else [])


def take_sample(trial: Trial) -> None:
    from wenmai.app import sample

    if trial.network not in (None, sample.NETWORK):
        raise InputError(NO_QUESTIONS.of(what=OF_NETWORK.of(name=trial.network)))
    if trial.network is None and trial.library != sample.LIBRARY:
        raise InputError(NO_QUESTIONS.of(what=OF_LIBRARY.of(name=trial.library)))
    folder = sample.sample_folder()
    if trial.network:
        trial.questions, trial.aliases = [folder / sample.NETWORK_QUESTIONS], None
    else:
        trial.questions, trial.sessions = [folder / sample.QUESTIONS], folder / sample.SESSIONS
        trial.aliases = folder / sample.ALIASES


async def run_trial(trial: Trial) -> None:
    """Run the conversations, here or through LangSmith. Raises ModelError when the model does not answer."""
    from wenmai.agent import open_agent
    from wenmai.app.sample import LIBRARY, NETWORK
    from wenmai.cli.commands.demo import import_sample, ingest_sample
    from wenmai.experiments.questions import load_questions, load_sessions
    from wenmai.experiments.runner import first_turns
    from wenmai.inputs import context_from
    from wenmai.settings.settings import load_settings

    settings = load_settings()
    if trial.mind == "offline":
        settings = settings.model_copy(update={"use_mock_llm": True})
    elif settings.provider is None:
        raise InputError(NO_MODEL.of(mind=trial.mind))
    else:  # a model's failure is no answer of another mind
        settings = settings.model_copy(update={"on_model_failure": "message"})
    conversations = [one for path in trial.questions for one in load_questions(path)]
    conversations += load_sessions(trial.sessions) if trial.sessions else []
    conversations = first_turns(conversations, trial.limit)
    if trial.network == NETWORK:
        await asyncio.to_thread(import_sample)  # it has an event loop of its own
    elif trial.library == LIBRARY and trial.network is None:
        async with stores() as app:
            await ingest_sample(app)
    async with open_agent(settings) as agent:
        open_log(settings)
        await agent.services.opening.open(context_from(trial.context))
        await ask_all(agent, trial, conversations)


async def ask_all(agent: "Agent", trial: Trial, conversations: list["ExpectedTalk"]) -> None:
    from wenmai.experiments.questions import load_aliases
    from wenmai.experiments.runner import run

    names = load_aliases(trial.aliases) if trial.aliases else {}
    judge, context = None, trial.context
    if trial.has_judge:
        from wenmai.experiments.judge import judge_of

        judge = judge_of(agent.services)
    if trial.upload:
        from wenmai.experiments.tracking import evaluate

        await evaluate(
            agent,
            trial.network or trial.library,
            conversations,
            names,
            context=context,
            client=client_for(agent.services.settings),
            judge=judge,
            outcomes=trial.outcomes,
        )
        return
    async for outcome in run(agent, conversations, names, context=context, judge=judge):
        trial.outcomes.append(outcome)
        last = trial.outcomes[-GIVEN_UP:]
        if len(last) == GIVEN_UP and all(one.failed and one.record.get("warning") for one in last):
            raise ModelError(STOPPED.of(turns=GIVEN_UP, warning=outcome.record["warning"]))


def client_for(settings: "Settings") -> "Client":
    if settings.langsmith_api_key is None:
        raise InputError(NO_UPLOAD)
    from wenmai.observability.langsmith import client_of

    return client_of(settings)
