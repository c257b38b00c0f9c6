"""`wenmai entities`: the entities of a library and their names."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tools.wording import Names, Words
from wenmai.cli.guarding import horizon_of
from wenmai.cli.options import ChapterOption, PartOption
from wenmai.cli.placing import here_or_there
from wenmai.cli.server import libraries as there

if TYPE_CHECKING:
    from tools.records import Horizon, Name
    from wenmai.app.container import Services
    from wenmai.ingestion.library.decisions import Decisions
    from wenmai.ingestion.library.merging import Outcome

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
    from rich.table import Table

    from wenmai.cli.output.horizon import say_horizon
    from wenmai.cli.output.terminal import out

    table = Table(*TITLES.say().split(","))
    guard = {"as_of_chapter": as_of_chapter, "as_of_part": as_of_part}
    found, horizon = here_or_there(
        lambda: rows(library, name, as_of_chapter, as_of_part),
        lambda server: (there.entities(server, library, name, guard), None),
    )
    say_horizon(horizon)
    for row in found:
        table.add_row(*row)
    out().print(table)


@app.command()
def merge(
    name: Annotated[str, typer.Argument(help="Entity that is another one; it becomes an alias.")],
    into: Annotated[str, typer.Argument(help="Entity that it is.")],
    library: LibraryOption,
) -> None:
    """Merge an entity into another: aliases, passages' tags, relations, events."""
    outcome = here_or_there(
        lambda: merged(library, name, into), lambda server: there.merge(server, library, name, into)
    )
    show(MERGED.say(name=outcome.name, into=outcome.into), outcome)


@app.command()
def split(
    name: Annotated[str, typer.Argument(help="Name whose merge is to be undone.")], library: LibraryOption
) -> None:
    """Undo exactly the merge of a name, whether a person or a model made it."""
    outcome = here_or_there(lambda: parted(library, name), lambda server: there.split(server, library, name))
    show(SPLIT.say(name=outcome.name, into=outcome.into), outcome)


async def merged(library: str, name: str, into: str) -> "Outcome":
    """Merge on the stores of the settings."""
    from wenmai.ingestion.library.merging import merge_entities

    services = opened()
    try:
        async with services.libraries.writing(library):
            return await merge_entities(services.stores, library, name, into)
    finally:
        await services.close()


async def parted(library: str, name: str) -> "Outcome":
    """Split on the stores of the settings."""
    from wenmai.ingestion.library.merging import split_entity

    services = opened()
    try:
        async with services.libraries.writing(library):
            return await split_entity(services.stores, library, name)
    finally:
        await services.close()


async def rows(
    library: str, name: str | None, chapter: int | None, part: int | None
) -> "tuple[list[list[str]], Horizon | None]":
    """Return a row of text for each entity that a reader knows, the most mentioned first, and the reader's guard."""
    from wenmai.app.entities import names_and_mentions
    from wenmai.ingestion.library.decisions import load_decisions

    services = opened()
    try:
        async with services.libraries.reading(library):
            decisions = await load_decisions(services.catalog, library)
            horizon = await horizon_of(services, library, chapter, part)
            names, mentions = await names_and_mentions(services, library, horizon)
            wanted = dict.fromkeys(one.entity for one in names if name is None or name in one.text)
            entities = [await services.graph.entity(library, one, horizon) for one in wanted]  # aliases in their order
    finally:
        await services.close()
    merges = merges_into(decisions, names)
    return [
        [
            entity.name,
            entity.kind,
            "、".join(entity.aliases),
            str(mentions[entity.name]),
            "、".join(merges.get(entity.name, ())),
        ]
        for entity in sorted(filter(None, entities), key=lambda one: (-mentions[one.name], one.name))
    ], horizon


def merges_into(decisions: "Decisions", names: "Sequence[Name]") -> dict[str, list[str]]:
    """Return which of these names was merged into each entity, and whether a model or a person did it."""
    known = {(one.text, one.entity) for one in names}
    merges: dict[str, list[str]] = {}
    for name, entity in decisions.merged.items():
        if (name, entity) in known and (row := decisions.effective(name)):
            merges.setdefault(entity, []).append(MERGED_BY.say(name=name, by=BY[row.by]))
    return merges


def opened() -> "Services":
    """Return services for one command."""
    from wenmai.app.container import Services
    from wenmai.settings.settings import load_settings

    return Services(load_settings())


def show(title: str, outcome: "Outcome") -> None:
    """Print what changed."""
    from wenmai.cli.output.terminal import Line, out, say

    change = outcome.change
    say(out(), Line(title, "bold"))
    say(out(), Line(CHANGED.say(passages=change.passages, relations=change.relations, events=change.events)))
    added = [one for one in outcome.after if one not in outcome.before]
    gone = [one for one in outcome.before if one not in outcome.after]
    for word, names in ((ADDED, added), (GONE, gone)):
        if names:
            say(out(), Line(ALIASES.say(name=outcome.into, word=word, names=Names(names))))
    say(out(), Line(ENTITIES.say(count=outcome.entities)))
