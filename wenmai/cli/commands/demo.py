"""`wenmai demo`: the sample story, ingested and asked."""

import os
import shutil
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.messages import Message, say
from wenmai.cli.output.terminal import open_log, print_line, print_lines
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.cli.placing import Operations
    from wenmai.ingestion.contracts import IngestReport

QUESTIONS = (
    ("single", "铜罗盘的盖子里刻着哪几个字？"),
    ("talk", "黑杜鹃号的大副是谁？"),
    ("talk", "他瞎了哪只眼睛？"),
    ("relation", "莫青衣和莫白衣是什么关系？"),
    ("unanswerable", "陆听雪是哪一年结婚的？"),
)
"""Thread and question: the second of `talk` is a follow-up with a pronoun, the last has no answer in the story."""

NETWORK_QUESTIONS = ("海棠号的船东是谁？", "它什么时候成立的？")
"""Of one thread, asked of the sample network: a relation, and a property of what the answer named."""

GO_ON: Sequence[tuple[str | Message, Message]] = (
    ("wenmai chat --library sample", Message("cli.demo.do_chat")),
    ("wenmai ask '顾长庚守了多少年灯塔？' --library sample", Message("cli.demo.do_ask")),
    ("wenmai ask '主要人物有谁？' --library sample", Message("cli.demo.do_ask_whole_book")),
    ("wenmai ask '裴九如是谁？' --library sample --as-of-chapter 3", Message("cli.demo.do_ask_guarded")),
    ("wenmai trace latest", Message("cli.demo.do_trace")),
    ("wenmai chat --network harbor", Message("cli.demo.do_ask_network")),
    (Message("cli.demo.ingest_command"), Message("cli.demo.do_ingest")),
)
COLUMN = 61  # cells of a terminal before what a command does


def demo(
    path: Annotated[Path | None, typer.Option(exists=True, file_okay=False, help="help.demo.path")] = None,
) -> None:
    """Ingest the sample story and ask it: facts, a follow-up with a pronoun, a question without an answer."""
    from wenmai.cli.output.ingest import show

    show(run(lambda app: ingest_sample(app, path)))
    import_sample(path)
    run(ask_questions)
    print_line(say("cli.demo.next_steps"), "cyan")
    for command, does in (*activation(), *GO_ON):
        print_line(command_line(str(command), does), "cyan")


def activation() -> list[tuple[str, Message]]:
    """Return the command that makes a shell find `wenmai`, [] where it does."""
    command = f". {os.path.relpath(Path(sys.prefix, 'bin', 'activate'))}"
    return [] if shutil.which("wenmai") else [(command, Message("cli.demo.activate_environment"))]


def command_line(command: str, does: Message) -> str:
    from rich.cells import cell_len

    return f"  {command}{' ' * max(1, COLUMN - cell_len(command))}{does}"


async def ingest_sample(app: "Operations", path: Path | None = None) -> "IngestReport":
    from wenmai.app import sample
    from wenmai.cli.output.live import ingest_progress

    story = sample.request("zh", path)
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


def import_sample(path: Path | None = None) -> str:
    from wenmai.app import sample

    folder = sample.sample_folder(path) / sample.NETWORK
    return run(lambda app: app.networks.load(folder, network=sample.NETWORK), is_shared=True).id


async def ask_questions(app: "Operations") -> None:
    from wenmai.app.sample import LIBRARY, NETWORK
    from wenmai.cli.output.answers import answer_lines, offline_line

    network = {"toolkits": ["knowledge"], "kn_ids": [NETWORK]}
    questions: list[tuple[str, str, dict[str, Any]]] = [
        *((thread, question, {"library": LIBRARY}) for thread, question in QUESTIONS),
        *(("network", question, network) for question in NETWORK_QUESTIONS),
    ]
    threads = {name: str(uuid.uuid4()) for name, *_ in questions}
    for number, (thread, question, context) in enumerate(questions):
        print_line(f"\n› {question}", "bold cyan")
        record = (await app.conversations.ask(question, thread_id=threads[thread], **context)).record
        print_lines((*answer_lines(record), *(offline_line(record) if number == 0 else ())))
    print_line("")
