"""`wenmai memory`: what the agent remembers of a user."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.wording import Names
from wenmai.cli.guarding import story_guard_of
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.output import memory_words
from wenmai.cli.output.memory_rows import NOTHING_FOUND, lines_of, print_line, show_found, show_list
from wenmai.cli.placing import named_user, run
from wenmai.cli.refusals import SEARCH_MODE
from wenmai.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wenmai.application.models.memories import ForgetReceipt, FoundPage, MemoryDetail, MemoryView
    from wenmai.application.models.paging import Page
    from wenmai.application.operations import Application
    from wenmai.client.client import Client

RECALL = "recall"

OWNER = "Whose memories; default: the key's user beside a server, else local."
UserOption = Annotated[str, typer.Option("--user", "-u", callback=named_user, show_default=False, help=OWNER)]
TypeOption = Annotated[str | None, typer.Option("--type", help="user_preference, command_output, general or another.")]
SensitiveOption = Annotated[bool, typer.Option("--sensitive", help="Show sensitive memories too.")]
GuardedOption = Annotated[str | None, typer.Option("--library", "-l", help="Library that --as-of-chapter means.")]
DaysOption = Annotated[int | None, typer.Option(min=1, max=365, help="Only the last so many days.")]
ScoreOption = Annotated[float, typer.Option(min=0, max=1, help="Least relevance; of the best one in mode recall.")]
ModeOption = Annotated[
    str, typer.Option(help="recall: as the agent recalls; semantic, keyword, hybrid: as its tool search_memories.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]

app = typer.Typer(
    help="Keep, search, export and forget a user's memories.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="What to remember.")],
    user: UserOption = "",
    kind: TypeOption = None,
    summary: Annotated[str | None, typer.Option(help="Short form that searches show.")] = None,
    key: Annotated[str | None, typer.Option(help="Its key; default: a new UUID.")] = None,
    keyword: Annotated[list[str] | None, typer.Option(help="A keyword; may be repeated. Default: extracted.")] = None,
    sensitive: Annotated[bool, typer.Option("--sensitive", help="Show it only with permission.")] = False,
) -> None:
    """Remember one thing."""

    async def work(app: "Application | Client") -> str:
        memory = await app.memories.add(
            text, type=kind or "general", summary=summary, keywords=keyword, is_sensitive=sensitive, key=key
        )
        return memory.key

    print_line(memory_words.KEPT.say(key=run(work, user)))


@app.command("list")
def listing(
    user: UserOption = "",
    kind: TypeOption = None,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 50,
    sensitive: SensitiveOption = False,
    library: GuardedOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """List a user's active memories, the newest first."""
    guard = story_guard_of(library, as_of_chapter, as_of_part)

    async def work(app: "Application | Client") -> "Page[MemoryView]":
        return await app.memories.list(type=kind, library=library, guard=guard, limit=limit)

    rows = run(work, user, permissions_of(sensitive))
    if not rows.items:
        print_line(NOTHING_FOUND.say())
        return
    show_list(rows.items, sensitive)
    if rows.total > len(rows.items):
        print_line(memory_words.SHOWN.say(total=rows.total, shown=len(rows.items)))


@app.command()
def show(
    key: Annotated[str, typer.Argument(help="Key of the memory.")],
    user: UserOption = "",
    history: Annotated[bool, typer.Option("--history", help="Also what it superseded, with the dates.")] = False,
    sensitive: SensitiveOption = False,
    library: GuardedOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show a memory; --history also shows what it took the place of, and until when that held."""
    from tools.memory.service import NOT_FOUND

    guard = story_guard_of(library, as_of_chapter, as_of_part)

    async def work(app: "Application | Client") -> "MemoryDetail":
        return await app.memories.get(key, library=library, guard=guard)

    found = run(work, user, permissions_of(sensitive))
    rows = [found.memory, *found.history]
    if not history:
        rows = [row for row in rows if row.key == key and row.is_active]
    if not rows:
        raise InputError(NOT_FOUND.say(key=key))
    if any(row.is_sensitive for row in rows) and not sensitive:
        raise InputError(memory_words.SENSITIVE)
    for row in rows:
        for line in lines_of(row):
            print_line(line)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question or keywords.")],
    user: UserOption = "",
    mode: ModeOption = RECALL,
    keyword: Annotated[list[str] | None, typer.Option(help="A memory must contain one of these.")] = None,
    kind: TypeOption = None,
    days: DaysOption = None,
    limit: Annotated[int, typer.Option(min=1, max=10, help="Rows at most.")] = 5,
    min_score: ScoreOption = 0.5,
    sensitive: SensitiveOption = False,
    as_json: JsonOption = False,
    library: GuardedOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Search a user's memories. By default what was said before and after counts, as when the agent recalls."""
    check_mode(mode)
    guard = story_guard_of(library, as_of_chapter, as_of_part)

    async def work(app: "Application | Client") -> "FoundPage":
        return await app.memories.search(
            query,
            mode=mode,  # type: ignore[arg-type]  # checked above
            type=kind,
            keyword=keyword or (),
            days=days,
            limit=limit,
            min_score=min_score,
            library=library,
            guard=guard,
        )

    show_found(run(work, user, permissions_of(sensitive)), sensitive, as_json)


def check_mode(mode: str) -> None:
    """Refuse a way to search that there is not. Raises InputError."""
    if mode not in (RECALL, "semantic", "keyword", "hybrid"):
        raise InputError(SEARCH_MODE.say(mode=mode))


@app.command("import")
def importing(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="JSONL, or a memorybank JSON file.")],
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="Whose memories; default: as add's, or each dialogue's own.")
    ] = None,
    dialogue: Annotated[str | None, typer.Option(help="Only this dialogue of the file.")] = None,
) -> None:
    """Import memories, or talks turn by turn. What is stored already is not written again."""
    from tools.memory.interchange import to_row
    from wenmai.app.clock import now
    from wenmai.cli.output.progress import counted
    from wenmai.memories.files import Imported, Source, read_memories

    source = Source(file, user, dialogue, now())
    memories = read_memories(source, named_user(""))
    by_user: dict[str, list[dict[str, Any]]] = {}
    for memory in memories:
        undated = {"created_at": None} if memory.created_at == source.now else {}
        by_user.setdefault(memory.user_id, []).append(to_row(memory) | undated)

    async def work(app: "Application | Client") -> int:
        owners = {owner: await app.for_user(owner) for owner in by_user}  # none is imported unless all may be
        written = 0
        with counted(memory_words.IMPORTING.say()) as bar:
            for owner, rows in by_user.items():
                written += (await owners[owner].memories.load(rows, undated=source.now, progress=bar)).written
        return written

    written = run(work, None, permissions_of(True))
    count = len(memories) - len({one.id for one in memories})
    report = Imported(total=len(memories), written=written, users=len(by_user), doubles=count)
    doubles = memory_words.DOUBLES.say(count=count) if count else ""
    print_line(memory_words.IMPORTED.say(report=report, doubles=doubles))


@app.command()
def export(
    file: Annotated[
        Path | None, typer.Argument(dir_okay=False, help="JSONL to write; default: standard output.")
    ] = None,
    user: UserOption = "",
) -> None:
    """Export every memory of a user with its history, the oldest first; import reads it back."""

    async def work(app: "Application | Client") -> "Sequence[dict[str, Any]]":
        return await app.memories.export()

    rows = run(work, user, permissions_of(True))
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    if file is None:
        sys.stdout.write("".join(lines))
        return
    file.write_text("".join(lines), encoding="utf-8")
    print_line(memory_words.EXPORTED.say(count=len(lines), file=file))


@app.command()
def forget(
    keys: Annotated[list[str], typer.Argument(help="Keys of the memories.")],
    user: UserOption = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget memories with their history, wherever they went, and print a receipt."""
    from wenmai.cli.output.terminal import require_yes

    require_yes(memory_words.CONFIRM.say(user=user, count=len(keys)), yes)

    async def work(app: "Application | Client") -> "ForgetReceipt":
        return await app.memories.forget(*keys)

    receipt = run(work, user)
    print_line(memory_words.FORGOTTEN.say(user=user, keys=Names(keys)))
    for kind, words in memory_words.RECEIPT.items():
        print_line(words.say(count=getattr(receipt, kind)))


def permissions_of(sensitive: bool) -> tuple[str, ...]:
    """Return what the user of this machine may see."""
    from tools.memory.records import SENSITIVE_PERMISSION

    return (SENSITIVE_PERMISSION,) if sensitive else ()
