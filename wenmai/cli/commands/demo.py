"""`wenmai demo`: the sample story, ingested and asked."""

import asyncio
import os
import shutil
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wenmai.cli.placing import here_or_there

if TYPE_CHECKING:
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

GO_ON = (
    "接着可以：",
    "  wenmai chat --library sample                        多轮对话",
    "  wenmai ask '顾长庚守了多少年灯塔？' --library sample   单个问题",
    "  wenmai ask '主要人物有谁？' --library sample          全书的问题",
    "  wenmai ask '裴九如是谁？' --library sample --as-of-chapter 3   防剧透",
    "  wenmai trace latest                                 看最近一次的检索与评分",
    "  wenmai chat --network harbor                        询问知识网络",
    "  wenmai ingest 你的小说.txt --library 名称              建立自己的资料库",
)


def demo(
    path: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder of the sample story; unset: the one that comes along."),
    ] = None,
) -> None:
    """Ingest the sample story and ask it: facts, a follow-up with a pronoun, a question without an answer."""
    from wenmai.cli.output.ingest import show
    from wenmai.cli.output.terminal import Line, out, say

    show(here_or_there(lambda: ingested_sample(path)))
    imported_sample(path)
    asyncio.run(asked())
    for line in (*GO_ON[:1], *activation(), *GO_ON[1:]):
        say(out(), Line(line, "cyan"))


def activation() -> list[str]:
    """Return the line that makes a shell find the command, [] where it does."""
    if shutil.which("wenmai"):
        return []
    return [f"  . {os.path.relpath(Path(sys.prefix, 'bin', 'activate')):<50}让终端找到 wenmai 命令"]


async def ingested_sample(path: Path | None = None) -> "IngestReport":
    """Bring the sample library up to date."""
    from wenmai.app import sample
    from wenmai.cli.commands.ingest import ingested

    return await ingested(sample.request("zh", path))


def imported_sample(path: Path | None = None) -> str:
    """Bring the sample network up to date and return its id."""
    from wenmai.app import sample
    from wenmai.app.knowledge_store import imported
    from wenmai.knowledge.files import read_network

    content = read_network(sample.sample_folder(path) / sample.NETWORK, sample.NETWORK)
    imported(content, lambda done, total: None)
    return sample.NETWORK


def questions() -> list[tuple[str, str, dict[str, Any]]]:
    """Return thread, question and where it is asked."""
    from wenmai.app.sample import LIBRARY, NETWORK

    network = {"toolkits": ["knowledge"], "kn_ids": [NETWORK]}
    return [
        *((thread, question, {"library": LIBRARY}) for thread, question in QUESTIONS),
        *(("network", question, network) for question in NETWORK_QUESTIONS),
    ]


async def asked() -> None:
    """Ask the questions and print the answers."""
    from wenmai.agent import open_agent
    from wenmai.cli.output.answers import answer_lines, offline_line
    from wenmai.cli.output.terminal import Line, out, say

    screen = out()
    threads = {name: str(uuid.uuid4()) for name, *_ in questions()}
    async with open_agent() as agent:
        for number, (thread, question, context) in enumerate(questions()):
            say(screen, Line(f"\n› {question}", "bold cyan"))
            record = (await agent.ask(question, thread_id=threads[thread], user_id="local", **context)).record
            for line in answer_lines(record):
                say(screen, line)
            for line in offline_line(record) if number == 0 else ():
                say(screen, line)
    say(screen, Line(""))
