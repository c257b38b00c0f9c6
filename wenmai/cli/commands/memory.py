"""`wenmai memory`: what the agent remembers of a user."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.errors import InputError
from tools.wording import Names, Words
from wenmai.cli.options import ChapterOption, PartOption, YesOption, guard_of
from wenmai.cli.output.terminal import Line, print_json, print_line, print_lines, print_table, require_yes
from wenmai.cli.placing import named_user, run
from wenmai.cli.refusals import SEARCH_MODE

if TYPE_CHECKING:
    from wenmai.application.memories import FoundPage, FoundView, MemoryView
from wenmai.cli.refusals import WHOSE_CHAPTER

if TYPE_CHECKING:
    from wenmai.application.memories import FoundPage, FoundView, MemoryView
    from wenmai.application.paging import Guard
    from wenmai.cli.placing import Operations

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
FORGOTTEN = Words("已遗忘用户 {user} 的记忆：{keys}", "Forgot memories of {user}: {keys}")
CONFIRM = Words("遗忘用户 {user} 的 {count} 条记忆？不能恢复", "Forget {count} memories of {user}? It cannot be undone")
EXPORTED = Words("已导出 {count} 条记忆到 {file}", "Exported {count} memories to {file}")
IMPORTED = Words(
    "已导入 {written} 条记忆（文件共 {total} 条{doubles}，{users} 个用户）",
    "Imported {written} memories (the file has {total}{doubles}, of {users} users)",
)
DOUBLES = Words(
    "，其中 {count} 条与后面的键相同，以后面的为准", ", {count} of them with the key of a later one, which counts"
)
IMPORTING = Words("导入记忆", "Importing memories")
SENSITIVE = Words("[敏感记忆] 查看需要 --sensitive", "[sensitive memory] --sensitive shows it")
NEWEST_SHOWN = Words("共 {total} 条，显示最新的 {shown} 条", "{total} in all, the newest {shown} are shown")
KEPT = Words("已记住 {key}", "Kept as {key}")
RECEIPT = {
    "memories": Words("  记忆（含历史）：{count}", "  memories with their history: {count}"),
    "threads": Words("  会话：{count}", "  conversations: {count}"),
    "traces": Words("  轨迹：{count}", "  traces: {count}"),
    "caches": Words("  缓存：{count}", "  kept answers: {count}"),
}
FOUND = Words("共找到 {total} 条，显示 {shown} 条", "{total} found, {shown} shown")
METADATA = Words("  附加信息：{data}", "  further: {data}")
KEYWORDS = Words("  关键词：{words}", "  keywords: {words}")
SUMMARY = Words("  摘要：{summary}", "  summary: {summary}")
HEAD = Words("{key}（{kind}，{date}{until}{newer}）", "{key} ({kind}, {date}{until}{newer})")
NEWER = Words("，已被 {key} 取代", ", superseded by {key}")
UNTIL = Words("，有效至 {date}", ", valid until {date}")
PREVIEW = 60
HIDDEN = Words("[敏感记忆]", "[sensitive memory]")
NOTHING_FOUND = Words("未找到相关记忆", "No memory was found")
TITLES = Words("键,类型,日期,内容", "key,type,date,content")
FOUND_TITLES = Words(f"相关度,{TITLES.zh}", f"relevance,{TITLES.en}")


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

    async def work(app: "Operations") -> "MemoryView":
        return await app.memories.add(
            text, type=kind or "general", summary=summary, keywords=keyword, is_sensitive=sensitive, key=key
        )

    print_line(KEPT.say(key=run(work, user).key))


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
    rows = run(
        lambda app: app.memories.list(type=kind, library=library, guard=guard, limit=limit),
        user,
        permissions_of(sensitive),
    )
    if not rows.items:
        print_line(NOTHING_FOUND.say())
        return
    print_table(TITLES, (cells_of(row, sensitive) for row in rows.items))
    if rows.total > len(rows.items):
        print_line(NEWEST_SHOWN.say(total=rows.total, shown=len(rows.items)))


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
    found = run(lambda app: app.memories.get(key, library=library, guard=guard), user, permissions_of(sensitive))
    rows = [found.memory, *found.history]
    if not history:
        rows = [row for row in rows if row.key == key and row.is_active]
    if not rows:
        raise InputError(NOT_FOUND.say(key=key))
    if any(row.is_sensitive for row in rows) and not sensitive:
        raise InputError(SENSITIVE)
    for row in rows:
        print_lines(map(Line, lines_of(row)))


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
    if mode not in (RECALL, "semantic", "keyword", "hybrid"):
        raise InputError(SEARCH_MODE.say(mode=mode))
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
        print_line(NOTHING_FOUND.say())
    else:
        rows = ((f"{one.relevance:.2f}", *cells_of(one.memory, sensitive)) for one in found.items)
        print_table(FOUND_TITLES, rows)
        print_line(FOUND.say(total=found.total, shown=len(found.items)))


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
        with count_progress(IMPORTING.say()) as bar:
            for owner, rows in by_user.items():
                written += (await owners[owner].memories.load(rows, undated=source.now, progress=bar)).written
        return written

    written = run(work, None, permissions_of(True))
    count = len(memories) - len({one.id for one in memories})
    doubles = DOUBLES.say(count=count) if count else ""
    print_line(IMPORTED.say(written=written, total=len(memories), users=len(by_user), doubles=doubles))


@app.command()
def export(
    file: Annotated[
        Path | None, typer.Argument(dir_okay=False, help="JSONL to write; default: standard output.")
    ] = None,
    user: UserOption = "",
) -> None:
    """Export every memory of a user with its history, the oldest first; import reads it back."""
    rows = run(lambda app: app.memories.export(), user, permissions_of(True))
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    if file is None:
        sys.stdout.write("".join(lines))
        return
    file.write_text("".join(lines), encoding="utf-8")
    print_line(EXPORTED.say(count=len(lines), file=file))


@app.command()
def forget(
    keys: Annotated[list[str], typer.Argument(help="Keys of the memories.")],
    user: UserOption = "",
    yes: YesOption = False,
) -> None:
    """Forget memories with their history, wherever they went, and print a receipt."""
    require_yes(CONFIRM.say(user=user, count=len(keys)), yes)
    receipt = run(lambda app: app.memories.forget(*keys), user)
    print_line(FORGOTTEN.say(user=user, keys=Names(keys)))
    for kind, words in RECEIPT.items():
        print_line(words.say(count=getattr(receipt, kind)))


def story_guard_of(library: str | None, chapter: int | None, part: int | None) -> "Guard | None":
    """Return the guard for memories of a library's story. Raises InputError for a chapter of no library."""
    if library is None and chapter is not None:
        raise InputError(WHOSE_CHAPTER.say())
    return guard_of(chapter, part)


def permissions_of(sensitive: bool) -> tuple[str, ...]:
    from tools.memory.records import SENSITIVE_PERMISSION

    return (SENSITIVE_PERMISSION,) if sensitive else ()


def cells_of(memory: "MemoryView", sensitive: bool) -> tuple[str, str, str, str]:
    """Return key, type, date and the beginning of a memory; of a sensitive one no text."""
    text = " ".join((memory.summary or memory.content).split())
    hidden = memory.is_sensitive and not sensitive
    preview = HIDDEN.say() if hidden else text[:PREVIEW] + ("..." if len(text) > PREVIEW else "")
    return memory.key, memory.type, memory.created_at.isoformat(timespec="minutes"), preview


def json_row(found: "FoundView", sensitive: bool) -> dict[str, Any]:
    memory = found.memory
    hidden = memory.is_sensitive and not sensitive
    return {
        "memory_key": memory.key,
        "relevance_score": round(found.relevance, 4),
        "memory_type": memory.type,
        "created_at": memory.created_at.isoformat(),
        "summary": HIDDEN.say() if hidden else memory.summary or "",
        "content": "" if hidden else memory.content,
    }


def lines_of(memory: "MemoryView") -> list[str]:
    until = UNTIL.say(date=memory.valid_until.isoformat()) if memory.valid_until else ""
    newer = NEWER.say(key=memory.superseded_by) if memory.superseded_by else ""
    words = str(Names(memory.keywords))
    metadata = memory.metadata | ({"sensitive": True} if memory.is_sensitive else {})
    return [
        HEAD.say(key=memory.key, kind=memory.type, date=memory.created_at.isoformat(), until=until, newer=newer),
        *([SUMMARY.say(summary=memory.summary)] if memory.summary else []),
        f"  {memory.content}",
        *([KEYWORDS.say(words=words)] if words else []),
        *([METADATA.say(data=json.dumps(metadata, ensure_ascii=False))] if metadata else []),
    ]
