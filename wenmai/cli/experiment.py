"""`wenmai experiment`: questions with known answers, and how well they were answered."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wenmai.cli.options import AliasesOption
from wenmai.errors import InputError

if TYPE_CHECKING:
    from langsmith import Client

    from wenmai.experiments.datasets import Conversation
    from wenmai.experiments.runner import Outcome
    from wenmai.settings import Settings


@dataclass(frozen=True, slots=True)
class Files:
    """Where the questions of an experiment stand."""

    questions: list[Path]
    sessions: Path | None
    aliases: Path | None


def experiment(
    library: Annotated[str, typer.Option("--library", "-l", help="Library to ask.")] = "sample",
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
) -> None:
    """Ask questions with known answers and print the measures per question type."""
    from wenmai.cli.terminal import out
    from wenmai.experiments.report import by_type, plain, table

    files = chosen(library, questions or [], sessions, aliases)
    outcomes = asyncio.run(experimented(library, files, limit, upload))
    out().print(table(by_type(outcomes)))
    if json_file:
        json_file.write_text(json.dumps(plain(outcomes), ensure_ascii=False, indent=1), encoding="utf-8")


def chosen(library: str, questions: list[Path], sessions: Path | None, aliases: Path | None) -> Files:
    """Return the files that were named, or those of the sample library. Raises InputError."""
    from wenmai.experiments import sample

    if questions or sessions:
        return Files(questions, sessions, aliases)
    if library != sample.LIBRARY:
        raise InputError(f"请用 --questions 或 --sessions 给出资料库 {library} 的问题（JSONL）")
    folder = sample.sample_folder()
    return Files([folder / sample.QUESTIONS], folder / sample.SESSIONS, folder / sample.ALIASES)


async def experimented(library: str, files: Files, limit: int | None, upload: bool) -> list["Outcome"]:
    """Run the conversations, here or through LangSmith."""
    from wenmai.agent import open_agent
    from wenmai.cli.demo import ingested_sample
    from wenmai.cli.terminal import open_log
    from wenmai.experiments.datasets import load_aliases
    from wenmai.experiments.runner import limited, run
    from wenmai.experiments.sample import LIBRARY

    conversations = limited(loaded(files), limit)
    names = load_aliases(files.aliases) if files.aliases else {}
    if library == LIBRARY:
        await ingested_sample()
    async with open_agent() as agent:
        open_log(agent.services.settings)
        await agent.services.open(library)
        client = client_for(agent.services.settings) if upload else None
        if client:
            from wenmai.experiments.tracking import evaluate

            context = {"library": library}
            _, outcomes = await evaluate(agent, library, conversations, names, context=context, client=client)
            return outcomes
        return [outcome async for outcome in run(agent, conversations, names, context={"library": library})]


def loaded(files: Files) -> list["Conversation"]:
    """Read every conversation."""
    from wenmai.experiments.datasets import load_questions, load_sessions

    single = [conversation for path in files.questions for conversation in load_questions(path)]
    return single + (load_sessions(files.sessions) if files.sessions else [])


def client_for(settings: "Settings") -> "Client":
    """Return a LangSmith client. Raises InputError without a key."""
    from langsmith import Client

    if settings.langsmith_api_key is None:
        raise InputError("--upload 需要 LANGSMITH_API_KEY：请设置它，或去掉 --upload 在本机评测")
    return Client(api_key=settings.langsmith_api_key.get_secret_value())
