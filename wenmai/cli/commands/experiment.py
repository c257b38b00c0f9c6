"""`wenmai experiment`: questions with known answers, and how well they were answered."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tools.errors import InputError, ModelError
from tools.messages import Message, say
from wenmai.cli.options import AliasesOption
from wenmai.cli.output.terminal import open_log, out, remark
from wenmai.cli.placing import run_local, stores

if TYPE_CHECKING:
    from langsmith import Client

    from wenmai.agent import Agent
    from wenmai.experiments.datasets import Conversation
    from wenmai.experiments.runner import Outcome
    from wenmai.settings.settings import Settings

Mind = Literal["model", "gemini", "offline"]
GIVEN_UP = 3  # turns in a row without an answer of the model: what comes would be no better, and may cost money


@dataclass(frozen=True, slots=True)
class Files:
    """Where the questions of an experiment stand."""

    questions: list[Path]
    sessions: Path | None
    aliases: Path | None


def experiment(
    library: Annotated[str, typer.Option("--library", "-l", help="help.option.library")] = "sample",
    network: Annotated[str | None, typer.Option("--network", "-n", help="help.experiment.network")] = None,
    questions: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, help="help.experiment.questions"),
    ] = None,
    sessions: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, help="help.experiment.sessions")] = None,
    aliases: AliasesOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="help.experiment.limit")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", dir_okay=False, help="help.experiment.json_file")] = None,
    upload: Annotated[bool, typer.Option("--upload", help="help.experiment.upload")] = False,
    mind: Annotated[Mind, typer.Option(help="help.experiment.mind")] = "offline",
    judges: Annotated[bool, typer.Option("--judges/--no-judges", help="help.experiment.judges")] = True,
) -> None:
    """Ask questions with known answers and print the measures per question type."""
    files = files_of(library, network, questions or [], sessions, aliases)
    trial = Trial(library, network, files, limit, upload, mind, judges and mind != "offline")
    try:
        run_local(run_trial(trial))
    except BaseException:
        if trial.outcomes:  # what was paid for is kept, whatever ended the rest
            show(trial.outcomes, json_file)
        raise
    show(trial.outcomes, json_file)


@dataclass(slots=True)
class Trial:
    """An experiment as it was asked for, and its outcomes so far."""

    library: str
    network: str | None
    files: Files
    limit: int | None
    upload: bool
    mind: Mind
    judged: bool
    outcomes: list["Outcome"] = field(default_factory=list)

    @property
    def context(self) -> dict[str, Any]:
        """What is asked."""
        if self.network is None:
            return {"library": self.library}
        return {"toolkits": ["knowledge"], "kn_ids": [self.network]}


def show(outcomes: list["Outcome"], json_file: Path | None) -> None:
    """Print the table and write the figures."""
    from wenmai.experiments.report import ALL, by_type, plain, table

    rows = by_type(outcomes)
    out().print(table(rows))
    for line in remarks(rows.get(ALL, {})):
        remark(line, "yellow")
    if json_file:
        json_file.write_text(json.dumps(plain(outcomes), ensure_ascii=False, indent=1), encoding="utf-8")


def remarks(row: Mapping[str, float | int | None]) -> list[str]:
    """Return what a reader of the table must know."""
    from wenmai.experiments.report import DEGRADED, FAILED

    helped, failed = row.get(DEGRADED), row.get(FAILED)
    said = [say("cli.experiment.offline_turns", count=helped)] if helped else []
    said += [say("cli.experiment.failed_turns", count=failed)] if failed else []
    return said + ([say("cli.unpriced_model")] if row.get("usd", 0.0) is None else [])


def files_of(
    library: str, network: str | None, questions: list[Path], sessions: Path | None, aliases: Path | None
) -> Files:
    """Return the files that were named, or those of the sample library or network. Raises InputError."""
    from wenmai.app import sample

    if questions or sessions:
        return Files(questions, sessions, aliases)
    if network == sample.NETWORK:
        return Files([sample.sample_folder() / sample.NETWORK_QUESTIONS], None, None)
    if network is not None:
        raise InputError(
            Message("cli.option.questions_needed", what=Message("cli.option.questions_to_network", name=network))
        )
    if library != sample.LIBRARY:
        raise InputError(
            Message("cli.option.questions_needed", what=Message("cli.option.questions_to_library", name=library))
        )
    folder = sample.sample_folder()
    return Files([folder / sample.QUESTIONS], folder / sample.SESSIONS, folder / sample.ALIASES)


async def run_trial(trial: Trial) -> None:
    """Run the conversations, here or through LangSmith. Raises ModelError when the model does not answer."""
    from wenmai.agent import open_agent
    from wenmai.app.sample import LIBRARY, NETWORK
    from wenmai.cli.commands.demo import import_sample, ingest_sample
    from wenmai.experiments.datasets import load_questions, load_sessions
    from wenmai.experiments.runner import limited
    from wenmai.inputs import context_from

    settings = settings_for(trial.mind)
    conversations = [one for path in trial.files.questions for one in load_questions(path)]
    conversations += load_sessions(trial.files.sessions) if trial.files.sessions else []
    conversations = limited(conversations, trial.limit)
    if trial.network == NETWORK:
        await asyncio.to_thread(import_sample)  # it has an event loop of its own
    elif trial.library == LIBRARY and trial.network is None:
        async with stores() as app:
            await ingest_sample(app)
    async with open_agent(settings) as agent:
        open_log(settings)
        await agent.services.opening.open(context_from(trial.context))
        await ask_all(agent, trial, conversations)


async def ask_all(agent: "Agent", trial: Trial, conversations: list["Conversation"]) -> None:
    """Ask every question and keep the outcomes."""
    from wenmai.experiments.datasets import load_aliases
    from wenmai.experiments.runner import run

    names = load_aliases(trial.files.aliases) if trial.files.aliases else {}
    judge, context = None, trial.context
    if trial.judged:
        from wenmai.experiments.judges import judges_of

        judge = judges_of(agent.services)
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
            raise ModelError(Message("cli.experiment.stopped", turns=GIVEN_UP, warning=outcome.record["warning"]))


def settings_for(mind: Mind) -> "Settings":
    """Return the settings of an experiment: a model's failure is no answer of another mind. Raises InputError."""
    from wenmai.settings.settings import load_settings

    settings = load_settings()
    if mind == "offline":
        return settings.model_copy(update={"use_mock_llm": True})
    if settings.provider is None:
        raise InputError(Message("cli.option.mind_needs_model", mind=mind))
    return settings.model_copy(update={"on_model_failure": "message"})


def client_for(settings: "Settings") -> "Client":
    """Return a LangSmith client. Raises InputError without a key."""
    if settings.langsmith_api_key is None:
        raise InputError(Message("cli.option.upload_needs_key"))
    from wenmai.observability.langsmith import client_of

    return client_of(settings)
