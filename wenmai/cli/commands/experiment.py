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

    from state.context import Language
    from wenmai.agent import Agent
    from wenmai.experiments.questions import ExpectedTalk
    from wenmai.experiments.runner import TurnOutcome
    from wenmai.settings.settings import Settings

Mind = Literal["model", "gemini", "offline"]
GIVEN_UP = 3  # turns in a row without an answer of the model: what comes would be no better, and may cost money


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
    said = [say("cli.experiment.offline_turns", count=helped)] if helped else []
    said += [say("cli.experiment.failed_turns", count=failed)] if failed else []
    return said + ([say("cli.unpriced_model")] if row.get("usd", 0.0) is None else [])


def sample_language(trial: Trial) -> "Language | None":
    """Return the language of the sample that is asked, None where it is none."""
    from wenmai.app.sample import SAMPLES

    for language, sample in SAMPLES.items():
        if trial.network == sample.network or (trial.network is None and trial.library == sample.library):
            return language
    return None


def take_sample(trial: Trial) -> None:
    from wenmai.app import sample

    language = sample_language(trial)
    if language is None:
        about, name = ("network", trial.network) if trial.network else ("library", trial.library)
        raise InputError(
            Message("cli.option.questions_needed", what=Message(f"cli.option.questions_to_{about}", name=name))
        )
    folder, files = sample.sample_folder(), sample.SAMPLES[language]
    if trial.network:
        trial.questions, trial.aliases = [folder / files.network_questions], None
    else:
        trial.questions, trial.aliases = [folder / files.questions], folder / files.aliases
        trial.sessions = folder / files.sessions if files.sessions else None


async def run_trial(trial: Trial) -> None:
    """Run the conversations, here or through LangSmith. Raises ModelError when the model does not answer."""
    from wenmai.agent import open_agent
    from wenmai.cli.commands.demo import import_sample, ingest_sample
    from wenmai.experiments.questions import load_questions, load_sessions
    from wenmai.experiments.runner import first_turns
    from wenmai.inputs import context_from
    from wenmai.settings.settings import load_settings

    settings = load_settings()
    if trial.mind == "offline":
        settings = settings.model_copy(update={"use_mock_llm": True})
    elif settings.provider is None:
        raise InputError(Message("cli.option.mind_needs_model", mind=trial.mind))
    else:  # a model's failure is no answer of another mind
        settings = settings.model_copy(update={"on_model_failure": "message"})
    conversations = [one for path in trial.questions for one in load_questions(path)]
    conversations += load_sessions(trial.sessions) if trial.sessions else []
    conversations = first_turns(conversations, trial.limit)
    language = sample_language(trial)
    if language and trial.network:
        await asyncio.to_thread(import_sample, language)  # it has an event loop of its own
    elif language:
        async with stores() as app:
            await ingest_sample(app, language)
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
            raise ModelError(Message("cli.experiment.stopped", turns=GIVEN_UP, warning=outcome.record["warning"]))


def client_for(settings: "Settings") -> "Client":
    if settings.langsmith_api_key is None:
        raise InputError(Message("cli.option.upload_needs_key"))
    from wenmai.observability.langsmith import client_of

    return client_of(settings)
