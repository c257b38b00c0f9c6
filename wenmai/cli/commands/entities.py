"""`wenmai entities`: the entities of a library and their names."""

from typing import TYPE_CHECKING, Annotated

import typer

from tools.wording import Names, Words
from wenmai.cli.options import ChapterOption, PartOption, guard_of
from wenmai.cli.output.terminal import print_line, print_place, print_table
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from wenmai.application.entities import EntityView, MergeResult
    from wenmai.application.paging import Page
    from wenmai.application.passages import LastPlace
    from wenmai.cli.placing import Operations

ENTITIES = Words("  全库实体：{count}", "  entities of the library: {count}")
ALIASES = Words("  {name} {word}：{names}", "  {name} {word}: {names}")
CHANGED = Words(
    "  改写：{passages} 段，{relations} 条关系，{events} 个事件",
    "  changed: {passages} passages, {relations} relations, {events} events",
)
SPLIT = Words("已将 {name} 从 {into} 分出", "Split {name} off {into}")
MERGED = Words("已将 {name} 并入 {into}", "Merged {name} into {into}")
LibraryOption = Annotated[str, typer.Option("--library", "-l", help="Library to look at or to change.")]
BY = {"model": Words("模型", "model"), "person": Words("人工", "a person")}
TITLES = Words("实体,类型,别名,段落,合并自", "entity,kind,aliases,passages,merged from")
ADDED = Words("新增别名", "has the new aliases")
MERGED_BY = Words("{name}（{by}）", "{name} ({by})")
GONE = Words("去掉别名", "has no longer the aliases")

app = typer.Typer(
    help="List entities; merge two of them, or undo a merge. Decisions outlive later ingests.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def listing(
    library: LibraryOption,
    name: Annotated[str | None, typer.Argument(help="Only entities with this in a name or an alias.")] = None,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """List entities with their aliases, and the merges with who made them."""
    from wenmai.application.paging import EVERY

    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Operations") -> "tuple[LastPlace | None, Page[EntityView]]":
        place = await app.passages.last_place(library, guard)
        return place, await app.entities.list(library, query=name, guard=guard, limit=EVERY)

    place, found = run(work)
    print_place(place)
    print_table(TITLES, map(row_of, found.items))


def row_of(entity: "EntityView") -> tuple[str, ...]:
    merged = [MERGED_BY.say(name=name, by=BY[by]) for name, by in entity.merged_by.items()]
    return entity.name, entity.kind, "、".join(entity.aliases), str(entity.mentions), "、".join(merged)


@app.command()
def merge(
    name: Annotated[str, typer.Argument(help="Entity that is another one; it becomes an alias.")],
    into: Annotated[str, typer.Argument(help="Entity that it is.")],
    library: LibraryOption,
) -> None:
    """Merge an entity into another: aliases, passages' tags, relations, events."""
    show(MERGED, run(lambda app: app.entities.merge(library, name, into)))


@app.command()
def split(
    name: Annotated[str, typer.Argument(help="Name whose merge is to be undone.")], library: LibraryOption
) -> None:
    """Undo exactly the merge of a name, whether a person or a model made it."""
    show(SPLIT, run(lambda app: app.entities.split(library, name)))


def show(title: Words, done: "MergeResult") -> None:
    print_line(title.say(name=done.name, into=done.into), "bold")
    print_line(CHANGED.say(passages=done.passages, relations=done.relations, events=done.events))
    added = [one for one in done.aliases if one not in done.aliases_before]
    gone = [one for one in done.aliases_before if one not in done.aliases]
    for word, names in ((ADDED, added), (GONE, gone)):
        if names:
            print_line(ALIASES.say(name=done.into, word=word, names=Names(names)))
    print_line(ENTITIES.say(count=done.entities))
