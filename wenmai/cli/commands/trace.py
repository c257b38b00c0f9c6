"""`wenmai trace`: what happened in a question, step by step."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from tools.wording import Names, Words
from wenmai.cli.guarding import horizon_of
from wenmai.cli.options import ChapterOption, PartOption, check_guard

SHOWN = 20
LATEST = "latest"
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
NO_TRACE_FILE = Words("{path} 不是轨迹文件（{error}）", "{path} is not a trace ({error})")
PART_OF_TRACE = Words(
    "{path} 不是完整的轨迹文件（缺少 {missing}）", "{path} is not a whole trace (it has no {missing})"
)
SKIPPED = Words("已跳过：{error}", "Skipped: {error}")
ROW = ("trace_id", "query", "passed", "total_duration_ms")


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
    from wenmai.cli.output.speech import terminal_language
    from wenmai.cli.output.terminal import out, say
    from wenmai.cli.output.timeline import timeline
    from wenmai.settings.settings import load_settings

    check_guard(as_of_chapter, as_of_part)
    folder = load_settings().trace_dir
    if which is None:
        listing(folder, thread, as_json)
        return
    record = read(found(which, folder))
    if as_of_chapter is not None:
        record = asyncio.run(guarded(record, as_of_chapter, as_of_part))
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False))
        return
    with speaking(language_of(record["query"]) or terminal_language()):
        for line in timeline(record):
            say(out(), line)


async def guarded(record: dict[str, Any], chapter: int, part: int | None) -> dict[str, Any]:
    """Return a trace as a reader of its library may see it. Raises StoreError."""
    from wenmai.app.container import Services
    from wenmai.observability.guarded_traces import as_read
    from wenmai.settings.settings import load_settings

    services = Services(load_settings())
    try:
        return as_read(record, await horizon_of(services, record.get("library") or "", chapter, part))
    finally:
        await services.close()


def newest(folder: Path) -> list[Path]:
    """Return the trace files, the newest first."""
    files = (path for path in folder.glob("*.json") if path.is_file())
    return sorted(files, key=lambda path: (path.stat().st_mtime, path.name), reverse=True)


def found(which: str, folder: Path) -> Path:
    """Return the file that is meant. Raises InputError."""
    from wenmai.errors import InputError

    if which == LATEST:
        files = newest(folder)
        if files:
            return files[0]
        raise InputError(NO_TRACES.of(folder=folder))
    for path in (folder / f"{which}.json", Path(which)):
        if path.is_file():
            return path
    raise InputError(NO_TRACE.of(which=which, folder=folder))


def read(path: Path) -> dict[str, Any]:
    """Return a stored trace. Raises InputError where the file is none."""
    from wenmai.errors import InputError
    from wenmai.observability.traces import read_trace

    try:
        return read_trace(path)
    except ValueError as error:
        raise InputError(NO_TRACE_FILE.of(path=path, error=error)) from error


def row_of(path: Path) -> dict[str, Any]:
    """Return a trace that has what the list shows. Raises InputError, OSError."""
    from wenmai.errors import InputError

    record = read(path)
    if missing := [key for key in ROW if key not in record]:
        raise InputError(PART_OF_TRACE.of(path=path, missing=Names(missing)))
    return record


def readable(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """Give the traces among files; of each other one a line on stderr says why it is left out."""
    from wenmai.cli.output.terminal import Line, err, say
    from wenmai.errors import InputError

    for path in paths:
        try:
            yield row_of(path)
        except (InputError, OSError) as error:
            say(err(), Line(SKIPPED.say(error=error), "yellow"))


def of_thread(folder: Path, thread: str) -> list[dict[str, Any]]:
    """Return the traces of a conversation, the newest first. Raises InputError where there are none."""
    from wenmai.errors import InputError

    records = [record for record in readable(newest(folder)) if record.get("thread_id") == thread]
    if not records:
        raise InputError(NONE_OF_THREAD.of(folder=folder, thread=thread))
    return records


def listing(folder: Path, thread: str | None, as_json: bool) -> None:
    """Print the newest traces, a line each."""
    from wenmai.cli.output.terminal import Line, out, say
    from wenmai.cli.output.timeline import NOTHING, found_nothing

    records = list(readable(newest(folder)[:SHOWN])) if thread is None else of_thread(folder, thread)[:SHOWN]
    if as_json:
        rows = [{key: r[key] for key in ROW} for r in records]
        typer.echo(json.dumps(rows, ensure_ascii=False))
        return
    for record in records:
        verdict = (NOTHING if found_nothing(record) else VERDICTS[record["passed"]]).say()
        say(out(), Line(f"{record['trace_id']}  {record['total_duration_ms']:>6} ms  {verdict}  {record['query']}"))
    if not records:
        say(out(), Line(NO_TRACES.say(folder=folder)))
