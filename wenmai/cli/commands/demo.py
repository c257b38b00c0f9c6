"""`wenmai demo`: the sample story, ingested and asked."""

import os
import shutil
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.wording import Words
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

NEXT = Words("接着可以：", "What comes next:")
ACTIVATION = Words("让终端找到 wenmai 命令", "lets the shell find the command wenmai")
GO_ON: Sequence[tuple[str | Words, Words]] = (
    ("wenmai chat --library sample", Words("多轮对话", "a conversation")),
    ("wenmai ask '顾长庚守了多少年灯塔？' --library sample", Words("单个问题", "one question")),
    ("wenmai ask '主要人物有谁？' --library sample", Words("全书的问题", "about the whole book")),
    ("wenmai ask '裴九如是谁？' --library sample --as-of-chapter 3", Words("防剧透", "without spoilers")),
    ("wenmai trace latest", Words("看最近一次的检索与评分", "the last question's look-ups and grades")),
    ("wenmai chat --network harbor", Words("询问知识网络", "ask the knowledge network")),
    (
        Words("wenmai ingest 你的小说.txt --library 名称", "wenmai ingest your-novel.txt --library name"),
        Words("建立自己的资料库", "a library of your own"),
    ),
)
COLUMN = 61  # cells of a terminal before what a command does


def demo(
    path: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder of the sample story; unset: the one that comes along."),
    ] = None,
) -> None:
    """Ingest the sample story and ask it: facts, a follow-up with a pronoun, a question without an answer."""
    from wenmai.cli.output.ingest import show

    show(run(lambda app: ingest_sample(app, path)))
    import_sample(path)
    run(ask_questions)
    for line in (str(NEXT), *activation(), *(command_line(str(command), does) for command, does in GO_ON)):
        print_line(line, "cyan")


def activation() -> list[str]:
    """Return the line that makes a shell find the command, [] where it does."""
    if shutil.which("wenmai"):
        return []
    return [command_line(f". {os.path.relpath(Path(sys.prefix, 'bin', 'activate'))}", ACTIVATION)]


def command_line(command: str, does: Words) -> str:
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
