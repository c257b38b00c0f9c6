"""`wenmai memory`: what the agent remembers of a user."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tools.wording import Names
from wenmai.cli.guarding import guard_fields, story_guard
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.output import memory_words
from wenmai.cli.output.memory_rows import NOTHING_FOUND, lines_of, print_line, show_found, show_list
from wenmai.cli.placing import done, named_user
from wenmai.cli.refusals import NO_MEMORY, SEARCH_MODE
from wenmai.cli.server import memories as remote
from wenmai.errors import InputError

if TYPE_CHECKING:
    from tools.memory.records import FoundMemories, Memory
    from wenmai.app.container import Services
    from wenmai.cli.server.running import Running
    from wenmai.memories.forgetting import Receipt
    from wenmai.memories.importing import Imported

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

    async def work(services: "Services") -> str:
        memory = await services.memory_service.add(
            user,
            text,
            memory_key=key,
            memory_type=kind or "general",
            summary=summary,
            keywords=keyword,
            content_metadata={"sensitive": True} if sensitive else None,
        )
        return memory.memory_key

    def there(server: "Running") -> str:
        new = {"content": text, "type": kind or "general", "summary": summary, "keywords": keyword}
        return remote.add(server, user, {**new, "is_sensitive": sensitive, "key": key})

    print_line(memory_words.KEPT.say(key=done(work, there)))


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

    async def work(services: "Services") -> "tuple[list[Memory], int]":
        from tools.memory.records import MemoryFilter

        where = MemoryFilter(types=(kind,) if kind else ())
        if guard := await story_guard(services, library, as_of_chapter, as_of_part):
            known = [row for row in await services.memories.scroll(user, where) if guard.shows(row)]
            return known[:limit], len(known)
        return await services.memories.scroll(user, where, limit), await services.memories.count(user, where)

    asked = {"type": kind, **guard_fields(library, as_of_chapter, as_of_part)}
    rows, total = done(work, lambda server: remote.listed(server, user, limit, **asked))
    if not rows:
        print_line(NOTHING_FOUND.say())
        return
    show_list(rows, sensitive)
    if total > len(rows):
        print_line(memory_words.SHOWN.say(total=total, shown=len(rows)))


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

    async def work(services: "Services") -> "list[Memory]":
        guard = await story_guard(services, library, as_of_chapter, as_of_part)
        return [row for row in await services.memory_service.history(user, key) if not guard or guard.shows(row)]

    guard = guard_fields(library, as_of_chapter, as_of_part)
    rows = done(work, lambda server: remote.history(server, user, key, **guard))
    if not history:
        rows = [row for row in rows if row.memory_key == key and row.is_active]
    if not rows:
        raise InputError(NO_MEMORY.say(key=key))
    if any(row.sensitive for row in rows) and not sensitive:
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

    async def work(services: "Services") -> "FoundMemories":
        from tools.memory.records import MemoryQuery
        from wenmai.inputs import query_from

        asked = MemoryQuery(
            query=query_from(query, services.settings.max_question_chars),
            mode="hybrid" if mode == RECALL else mode,  # type: ignore[arg-type]  # checked above
            keywords=tuple(keyword or ()),
            types=(kind,) if kind else (),
            days=days,
            limit=limit,
            min_score=min_score,
            guard=await story_guard(services, library, as_of_chapter, as_of_part),
            sees_sensitive=sensitive,
        )
        find = services.memory_ranking.find
        return await find(user, asked.around() if mode == RECALL and (await find(user, asked)).found else asked)

    given = guard_fields(library, as_of_chapter, as_of_part) | {"q": query, "mode": mode, "keyword": keyword}
    given |= {"type": kind, "days": days, "limit": limit, "min_score": min_score}
    show_found(done(work, lambda server: remote.found(server, user, **given)), sensitive, as_json)


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
    from wenmai.app.clock import now
    from wenmai.cli.output.progress import counted
    from wenmai.memories.files import Source, read_memories

    source = Source(file, user, dialogue, now())
    memories = read_memories(source, named_user(""))

    async def work(services: "Services") -> "Imported":
        from wenmai.memories.importing import import_memories

        with counted(memory_words.IMPORTING.say()) as bar:
            return await import_memories(services.memory_service, memories, bar, source.now)

    report = done(work, lambda server: remote.imported(server, memories, source.now))
    doubles = memory_words.DOUBLES.say(count=report.doubles) if report.doubles else ""
    print_line(memory_words.IMPORTED.say(report=report, doubles=doubles))


@app.command()
def export(
    file: Annotated[
        Path | None, typer.Argument(dir_okay=False, help="JSONL to write; default: standard output.")
    ] = None,
    user: UserOption = "",
) -> None:
    """Export every memory of a user with its history, the oldest first; import reads it back."""

    async def work(services: "Services") -> list[dict[str, Any]]:
        return await services.memory_service.export(user)

    rows = done(work, lambda server: remote.exported(server, user))
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

    async def work(services: "Services") -> "Receipt":
        return await services.forget(user, keys)

    receipt = done(work, lambda server: remote.forget(server, user, keys))
    print_line(memory_words.FORGOTTEN.say(user=user, keys=Names(keys)))
    for kind, words in memory_words.RECEIPT.items():
        print_line(words.say(count=getattr(receipt, kind)))
