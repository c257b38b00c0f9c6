"""`wenmai demo`: the sample story, ingested and asked."""

import os
import shutil
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from state.context import Language
from tools.messages import Message, say, speaking
from wenmai.cli.output.speech import terminal_language
from wenmai.cli.output.terminal import open_log, print_line, print_lines
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.cli.placing import Operations
    from wenmai.ingestion.contracts import IngestReport


@dataclass(frozen=True, slots=True)
class Script:
    """What is asked in one language.

    Attributes:
        story: thread and question: the second of `talk` is a follow-up with a pronoun, the last has no answer there.
        network: of one thread, asked of the sample network: a relation, and a property of what the answer named.
        go_on: commands to try next, and what each does.
    """

    story: Sequence[tuple[str, str]]
    network: Sequence[str]
    go_on: Sequence[tuple[str | Message, Message]]


def go_on(
    library: str, network: str, fact: str, whole_book: str, guarded: str, chapter: int
) -> list[tuple[str | Message, Message]]:
    return [
        (f"wenmai chat --library {library}", Message("cli.demo.do_chat")),
        (f"wenmai ask '{fact}' --library {library}", Message("cli.demo.do_ask")),
        (f"wenmai ask '{whole_book}' --library {library}", Message("cli.demo.do_ask_whole_book")),
        (f"wenmai ask '{guarded}' --library {library} --as-of-chapter {chapter}", Message("cli.demo.do_ask_guarded")),
        ("wenmai trace latest", Message("cli.demo.do_trace")),
        (f"wenmai chat --network {network}", Message("cli.demo.do_ask_network")),
        (Message("cli.demo.ingest_command"), Message("cli.demo.do_ingest")),
    ]


SCRIPTS: Mapping[Language, Script] = MappingProxyType(
    {
        "zh": Script(
            story=(
                ("single", "铜罗盘的盖子里刻着哪几个字？"),
                ("talk", "黑杜鹃号的大副是谁？"),
                ("talk", "他瞎了哪只眼睛？"),
                ("relation", "莫青衣和莫白衣是什么关系？"),
                ("unanswerable", "陆听雪是哪一年结婚的？"),
            ),
            network=("海棠号的船东是谁？", "它什么时候成立的？"),
            go_on=go_on("sample", "harbor", "顾长庚守了多少年灯塔？", "主要人物有谁？", "裴九如是谁？", 3),
        ),
        "en": Script(
            story=(
                ("single", "What words are cut into the shaft of the brass key?"),
                ("talk", "Who is the mate of the Lydia?"),
                ("talk", "Which of her hands is burnt?"),
                ("relation", "How are Maren Tolliver and Lydia Tolliver related?"),
                ("unanswerable", "What is the name of Barnaby Crook's wife?"),
            ),
            network=("Who owns the Sea Holly?", "When was it founded?"),
            go_on=go_on(
                "sample_en",
                "harbor_en",
                "How many steps does the tower have?",
                "Who are the main characters?",
                "Who is Philip Quill?",
                5,
            ),
        ),
    }
)


def demo(
    path: Annotated[Path | None, typer.Option(exists=True, file_okay=False, help="help.demo.path")] = None,
    language: Annotated[Literal["zh", "en"] | None, typer.Option(help="help.demo.language")] = None,
) -> None:
    """Ingest the sample story and ask it: facts, a follow-up with a pronoun, a question without an answer."""
    from wenmai.cli.output.ingest import show

    spoken = language or terminal_language()
    script = SCRIPTS[spoken]
    with speaking(spoken):
        show(run(lambda app: ingest_sample(app, spoken, path)))
        import_sample(spoken, path)
        run(lambda app: ask_questions(app, spoken))
        print_line(say("cli.demo.next_steps"), "cyan")
        for line in command_lines([*activation(), *script.go_on]):
            print_line(line, "cyan")


def activation() -> list[tuple[str, Message]]:
    """Return the command that makes a shell find `wenmai`, [] where it does."""
    command = f". {os.path.relpath(Path(sys.prefix, 'bin', 'activate'))}"
    return [] if shutil.which("wenmai") else [(command, Message("cli.demo.activate_environment"))]


def command_lines(commands: Sequence[tuple[str | Message, Message]]) -> list[str]:
    """Return a line for each command; what they do stands in one column, whatever characters they hold."""
    from rich.cells import cell_len

    width = max(cell_len(str(command)) for command, _ in commands)
    return [f"  {command}{' ' * (width - cell_len(str(command)))}  {does}" for command, does in commands]


async def ingest_sample(app: "Operations", language: Language, path: Path | None = None) -> "IngestReport":
    from wenmai.app import sample
    from wenmai.cli.output.live import ingest_progress

    story = sample.request(language, path)
    open_log()
    with ingest_progress() as progress:
        return await app.libraries.ingest(
            story.path,
            story.library,
            title=story.title,
            aliases=story.aliases,
            graph=story.graph_files,
            progress=progress,
        )


def import_sample(language: Language, path: Path | None = None) -> str:
    from wenmai.app.sample import SAMPLES, sample_folder

    network = SAMPLES[language].network
    folder = sample_folder(path) / network
    return run(lambda app: app.networks.load(folder, network=network), is_shared=True).id


async def ask_questions(app: "Operations", language: Language) -> None:
    from wenmai.app.sample import SAMPLES
    from wenmai.cli.output.answers import answer_lines, offline_line

    script, sample = SCRIPTS[language], SAMPLES[language]
    network = {"toolkits": ["knowledge"], "kn_ids": [sample.network]}
    questions: list[tuple[str, str, dict[str, Any]]] = [
        *((thread, question, {"library": sample.library}) for thread, question in script.story),
        *(("network", question, network) for question in script.network),
    ]
    threads = {name: str(uuid.uuid4()) for name, *_ in questions}
    for number, (thread, question, context) in enumerate(questions):
        print_line(f"\n› {question}", "bold cyan")
        record = (await app.conversations.ask(question, thread_id=threads[thread], **context)).record
        print_lines((*answer_lines(record), *(offline_line(record) if number == 0 else ())))
    print_line("")
