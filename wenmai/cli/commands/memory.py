"""`wenmai memory`: what the agent remembers of a user."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.errors import InputError
from tools.messages import Message, Names, say
from wenmai.cli.options import ChapterOption, PartOption, YesOption, guard_of
from wenmai.cli.output.terminal import TerminalLine, print_json, print_line, print_lines, print_table, require_yes
from wenmai.cli.placing import named_user, run

if TYPE_CHECKING:
    from wenmai.application.memories import FoundPage, FoundView, MemoryView
    from wenmai.application.paging import Guard
    from wenmai.cli.placing import Operations

RECALL = "recall"
UserOption = Annotated[
    str, typer.Option("--user", "-u", callback=named_user, show_default=False, help="help.memory.user")
]
TypeOption = Annotated[str | None, typer.Option("--type", help="help.memory.type")]
SensitiveOption = Annotated[bool, typer.Option("--sensitive", help="help.memory.sensitive")]
GuardedOption = Annotated[str | None, typer.Option("--library", "-l", help="help.memory.guarded")]
DaysOption = Annotated[int | None, typer.Option(min=1, max=365, help="help.memory.days")]
ScoreOption = Annotated[float, typer.Option(min=0, max=1, help="help.memory.score")]
ModeOption = Annotated[str, typer.Option(help="help.memory.mode")]
JsonOption = Annotated[bool, typer.Option("--json", help="help.memory.json")]
app = typer.Typer(help="help.memory.about", no_args_is_help=True, rich_markup_mode=None)
RECEIPT = {
    "memories": Message("cli.memory.deleted_memories"),
    "threads": Message("cli.memory.deleted_threads"),
    "traces": Message("cli.memory.deleted_traces"),
    "caches": Message("cli.memory.deleted_caches"),
}
PREVIEW = 60


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="help.memory.add.text")],
    user: UserOption = "",
    kind: TypeOption = None,
    summary: Annotated[str | None, typer.Option(help="help.memory.add.summary")] = None,
    key: Annotated[str | None, typer.Option(help="help.memory.add.key")] = None,
    keyword: Annotated[list[str] | None, typer.Option(help="help.memory.add.keyword")] = None,
    sensitive: Annotated[bool, typer.Option("--sensitive", help="help.memory.add.sensitive")] = False,
) -> None:
    """Remember one thing."""

    async def work(app: "Operations") -> "MemoryView":
        return await app.memories.add(
            text, type=kind or "general", summary=summary, keywords=keyword, is_sensitive=sensitive, key=key
        )

    print_line(say("cli.memory.remembered", key=run(work, user).key))


@app.command("list")
def listing(
    user: UserOption = "",
    kind: TypeOption = None,
    limit: Annotated[int, typer.Option(min=1, help="help.memory.list.limit")] = 50,
    sensitive: SensitiveOption = False,
    library: GuardedOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """List a user's active memories, the newest first."""
    guard = story_guard_of(library, as_of_chapter, as_of_part)
    rows = run(
        lambda app: app.memories.list(type=kind, library=library, guard=guard, limit=limit),
        user,
        permissions_of(sensitive),
    )
    if not rows.items:
        print_line(say("cli.memory.nothing_found"))
        return
    print_table(Message("cli.memory.columns"), (cells_of(row, sensitive) for row in rows.items))
    if rows.total > len(rows.items):
        print_line(say("cli.memory.newest_shown", total=rows.total, shown=len(rows.items)))


@app.command()
def show(
    key: Annotated[str, typer.Argument(help="help.memory.show.key")],
    user: UserOption = "",
    history: Annotated[bool, typer.Option("--history", help="help.memory.show.history")] = False,
    sensitive: SensitiveOption = False,
    library: GuardedOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show a memory; --history also shows what it took the place of, and until when that held."""
    guard = story_guard_of(library, as_of_chapter, as_of_part)
    found = run(lambda app: app.memories.get(key, library=library, guard=guard), user, permissions_of(sensitive))
    rows = [found.memory, *found.history]
    if not history:
        rows = [row for row in rows if row.key == key and row.is_active]
    if not rows:
        raise InputError(say("memory.not_found", key=key))
    if any(row.is_sensitive for row in rows) and not sensitive:
        raise InputError(Message("cli.memory.sensitive_hidden"))
    for row in rows:
        print_lines(map(TerminalLine, lines_of(row)))


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="help.memory.search.query")],
    user: UserOption = "",
    mode: ModeOption = RECALL,
    keyword: Annotated[list[str] | None, typer.Option(help="help.memory.search.keyword")] = None,
    kind: TypeOption = None,
    days: DaysOption = None,
    limit: Annotated[int, typer.Option(min=1, max=10, help="help.memory.search.limit")] = 5,
    min_score: ScoreOption = 0.5,
    sensitive: SensitiveOption = False,
    as_json: JsonOption = False,
    library: GuardedOption = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Search a user's memories. By default what was said before and after counts, as when the agent recalls."""
    if mode not in (RECALL, "semantic", "keyword", "hybrid"):
        raise InputError(say("cli.option.search_mode", mode=mode))
    guard = story_guard_of(library, as_of_chapter, as_of_part)

    async def work(app: "Operations") -> "FoundPage":
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

    found = run(work, user, permissions_of(sensitive))
    if as_json:
        for one in found.items:
            print_json(json_row(one, sensitive))
    elif not found.items:
        print_line(say("cli.memory.nothing_found"))
    else:
        rows = ((f"{one.relevance:.2f}", *cells_of(one.memory, sensitive)) for one in found.items)
        print_table(Message("cli.memory.columns_found"), rows)
        print_line(say("cli.memory.found", total=found.total, shown=len(found.items)))


@app.command("import")
def importing(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="help.memory.import.file")],
    user: Annotated[str | None, typer.Option("--user", "-u", help="help.memory.import.user")] = None,
    dialogue: Annotated[str | None, typer.Option(help="help.memory.import.dialogue")] = None,
) -> None:
    """Import memories, or talks turn by turn. What is stored already is not written again."""
    from tools.memory.interchange import to_row
    from wenmai.app.clock import now
    from wenmai.cli.output.live import count_progress
    from wenmai.memories.files import Source, read_memories

    source = Source(file, user, dialogue, now())
    memories = read_memories(source, named_user(""))
    by_user: dict[str, list[dict[str, Any]]] = {}
    for memory in memories:
        undated = {"created_at": None} if memory.created_at == source.now else {}
        by_user.setdefault(memory.user_id, []).append(to_row(memory) | undated)

    async def work(app: "Operations") -> int:
        owners = {owner: await app.for_user(owner) for owner in by_user}  # none is imported unless all may be
        written = 0
        with count_progress(say("cli.memory.importing")) as bar:
            for owner, rows in by_user.items():
                written += (await owners[owner].memories.load(rows, undated=source.now, progress=bar)).written
        return written

    written = run(work, None, permissions_of(True))
    count = len(memories) - len({one.id for one in memories})
    doubles = say("cli.memory.double_keys", count=count) if count else ""
    print_line(say("cli.memory.imported", written=written, total=len(memories), users=len(by_user), doubles=doubles))


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(dir_okay=False, help="help.memory.export.file")] = None,
    user: UserOption = "",
) -> None:
    """Export every memory of a user with its history, the oldest first; import reads it back."""
    rows = run(lambda app: app.memories.export(), user, permissions_of(True))
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    if file is None:
        sys.stdout.write("".join(lines))
        return
    file.write_text("".join(lines), encoding="utf-8")
    print_line(say("cli.memory.exported", count=len(lines), file=file))


@app.command()
def forget(
    keys: Annotated[list[str], typer.Argument(help="help.memory.forget.keys")],
    user: UserOption = "",
    yes: YesOption = False,
) -> None:
    """Forget memories with their history, wherever they went, and print a receipt."""
    require_yes(say("cli.memory.confirm_forget", user=user, count=len(keys)), yes)
    receipt = run(lambda app: app.memories.forget(*keys), user)
    print_line(say("cli.memory.forgotten", user=user, keys=Names(keys)))
    for kind, words in RECEIPT.items():
        print_line(say(words.key, count=getattr(receipt, kind)))
    if receipt.in_files:
        print_line(say("cli.memory.left_in_files", count=receipt.in_files), "yellow")


def story_guard_of(library: str | None, chapter: int | None, part: int | None) -> "Guard | None":
    """Return the guard for memories of a library's story. Raises InputError for a chapter of no library."""
    if library is None and chapter is not None:
        raise InputError(say("cli.option.guard_without_library"))
    return guard_of(chapter, part)


def permissions_of(sensitive: bool) -> tuple[str, ...]:
    from tools.memory.records import SENSITIVE_PERMISSION

    return (SENSITIVE_PERMISSION,) if sensitive else ()


def cells_of(memory: "MemoryView", sensitive: bool) -> tuple[str, str, str, str]:
    """Return key, type, date and the beginning of a memory; of a sensitive one no text."""
    text = " ".join((memory.summary or memory.content).split())
    hidden = memory.is_sensitive and not sensitive
    preview = say("memory.hidden_text") if hidden else text[:PREVIEW] + ("..." if len(text) > PREVIEW else "")
    return memory.key, memory.type, memory.created_at.isoformat(timespec="minutes"), preview


def json_row(found: "FoundView", sensitive: bool) -> dict[str, Any]:
    memory = found.memory
    hidden = memory.is_sensitive and not sensitive
    return {
        "memory_key": memory.key,
        "relevance_score": round(found.relevance, 4),
        "memory_type": memory.type,
        "created_at": memory.created_at.isoformat(),
        "summary": say("memory.hidden_text") if hidden else memory.summary or "",
        "content": "" if hidden else memory.content,
    }


def lines_of(memory: "MemoryView") -> list[str]:
    until = say("cli.memory.valid_until", date=memory.valid_until.isoformat()) if memory.valid_until else ""
    newer = say("cli.memory.superseded_by", key=memory.superseded_by) if memory.superseded_by else ""
    words = str(Names(memory.keywords))
    metadata = memory.metadata | ({"sensitive": True} if memory.is_sensitive else {})
    return [
        say(
            "cli.memory.heading",
            key=memory.key,
            kind=memory.type,
            date=memory.created_at.isoformat(),
            until=until,
            newer=newer,
        ),
        *([say("cli.memory.summary", summary=memory.summary)] if memory.summary else []),
        f"  {memory.content}",
        *([say("cli.memory.keywords", words=words)] if words else []),
        *([say("cli.memory.metadata", data=json.dumps(metadata, ensure_ascii=False))] if metadata else []),
    ]
