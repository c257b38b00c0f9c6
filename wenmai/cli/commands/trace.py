"""`wenmai trace`: what happened in a question, step by step. It reads the files of this machine."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError
from tools.wording import Words
from wenmai.cli.options import ChapterOption, PartOption, guard_of
from wenmai.cli.output.terminal import print_json, print_line, print_lines, remark

if TYPE_CHECKING:
    from wenmai.application.paging import Guard
    from wenmai.application.traces import TraceOperations, TraceRecord

SHOWN = 20
VERDICTS = {
    True: Words("通过", "passed"),
    False: Words("未通过", "not passed"),
    None: Words("未评分", "not graded"),
}
NO_TRACES = Words("{folder} 中还没有轨迹：请先用 wenmai ask 提问", "No traces in {folder} yet: ask with wenmai ask")
NO_TRACE = Words(
    "没有轨迹 {which}：用 wenmai trace 查看 {folder} 中的轨迹",
    "there is no trace {which}: wenmai trace lists those in {folder}",
)
NONE_OF_THREAD = Words(
    "{folder} 中没有会话 {thread} 的轨迹：请检查会话编号，或不带 --thread 查看全部",
    "{folder} has no traces of conversation {thread}: check its id, or list all without --thread",
)
SKIPPED = Words("已跳过：{error}", "Skipped: {error}")


def trace(
    which: Annotated[str | None, typer.Argument(metavar="[TRACE_ID|FILE|latest]", help="Default: list them.")] = None,
    thread: Annotated[str | None, typer.Option(help="List those of one conversation.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as it is stored.")] = False,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show the timeline of a question: attempts, calls, grades. Without an argument: the newest traces.

    Under a guard a trace that was recorded without one, or with a later one, shows its question alone.
    """
    from tools.language import language_of
    from tools.wording import speaking
    from wenmai.app.container import Services
    from wenmai.application.caller import Caller
    from wenmai.application.traces import TraceOperations
    from wenmai.cli.output.answers import timeline
    from wenmai.cli.output.speech import terminal_language
    from wenmai.settings.settings import load_settings

    guard = guard_of(as_of_chapter, as_of_part)
    traces = TraceOperations(Services(load_settings()), Caller.local())
    if which is None:
        listing(traces, thread, as_json)
        return
    record = asyncio.run(read(traces, file_of(which, traces.services.settings.trace_dir), guard)).trace
    if as_json:
        print_json(record)
        return
    with speaking(language_of(record["query"]) or terminal_language()):
        print_lines(timeline(record))


async def read(traces: "TraceOperations", path: Path, guard: "Guard | None") -> "TraceRecord":
    try:
        return await traces.read(path, guard=guard)
    finally:
        await traces.services.close()


def file_of(which: str, folder: Path) -> Path:
    from wenmai.application.traces import newest

    if which == "latest":
        if files := newest(folder):
            return files[0]
        raise InputError(NO_TRACES.of(folder=folder))
    for path in (folder / f"{which}.json", Path(which)):
        if path.is_file():
            return path
    raise InputError(NO_TRACE.of(which=which, folder=folder))


def listing(traces: "TraceOperations", thread: str | None, as_json: bool) -> None:
    """Print the newest traces, a line each; of each other file a line on stderr says why it is left out."""
    from wenmai.cli.output.answers import NOT_FOUND, NOTHING

    def skipped(reason: str) -> None:
        remark(SKIPPED.say(error=reason), "yellow")

    folder = traces.services.settings.trace_dir
    rows = asyncio.run(traces.list(thread=thread, limit=SHOWN, unreadable=skipped)).items
    if thread is not None and not rows:
        raise InputError(NONE_OF_THREAD.of(folder=folder, thread=thread))
    if as_json:
        fields = ("query", "passed", "total_duration_ms")
        print_json([{"trace_id": one.id, **one.model_dump(include={*fields})} for one in rows])
        return
    for one in rows:
        verdict = (NOTHING if one.outcome == NOT_FOUND else VERDICTS[one.passed]).say()
        print_line(f"{one.id}  {one.total_duration_ms:>6} ms  {verdict}  {one.query}")
    if not rows:
        print_line(NO_TRACES.say(folder=folder))
