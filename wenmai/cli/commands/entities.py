"""`wenmai entities`: the entities of a library and their names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.messages import Message, Names, say
from tools.records import EntityKind
from wenmai.cli.options import ChapterOption, PartOption, guard_of
from wenmai.cli.output.terminal import TerminalLine, print_line, print_lines, print_place, print_table
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wenmai.application.entities import (
        ChangeResult,
        ChangeView,
        EntityDetail,
        EntityView,
        MergeResult,
        Narrators,
    )
    from wenmai.application.paging import Page
    from wenmai.application.passages import LastPlace
    from wenmai.cli.placing import Operations

CHANGES = {
    "merge": Message("cli.entities.change_merge"),
    "rename": Message("cli.entities.change_rename"),
    "split": Message("cli.entities.change_split"),
    "separation": Message("cli.entities.change_separation"),
    "kind": Message("cli.entities.change_kind"),
    "removal": Message("cli.entities.change_removal"),
    "narrator": Message("cli.entities.change_narrator"),
}
LibraryOption = Annotated[str, typer.Option("--library", "-l", help="help.entities.library")]
TOLD_BY = {"text": Message("cli.entities.by_text"), "person": Message("cli.entities.by_person")}
BY = {"model": Message("model.label"), "person": Message("cli.entities.by_person")}

app = typer.Typer(help="help.entities.about", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def listing(
    library: LibraryOption,
    name: Annotated[str | None, typer.Argument(help="help.entities.list.name")] = None,
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
    print_table(Message("cli.entities.columns"), map(row_of, found.items))


def row_of(entity: "EntityView") -> tuple[str, ...]:
    merged = [say("cli.entities.merged_by", name=name, by=BY[by]) for name, by in entity.merged_by.items()]
    return entity.name, entity.kind, str(Names(entity.aliases)), str(entity.mentions), str(Names(merged))


@app.command("show")
def shown(
    name: Annotated[str, typer.Argument(help="help.entities.show.name")],
    library: LibraryOption,
    as_of_chapter: ChapterOption = None,
    as_of_part: PartOption = None,
) -> None:
    """Show an entity: names, where it first appears, and who a person is, as far as a reader knows."""
    guard = guard_of(as_of_chapter, as_of_part)

    async def work(app: "Operations") -> "tuple[LastPlace | None, EntityDetail]":
        return await app.passages.last_place(library, guard), await app.entities.get(library, name, guard=guard)

    place, found = run(work)
    print_place(place)
    print_lines(entity_lines(found))


def entity_lines(entity: "EntityDetail") -> "Iterator[TerminalLine]":
    yield TerminalLine(f"{entity.name} · {entity.kind}", "bold")
    if entity.aliases:
        yield TerminalLine(say("cli.entities.aliases", names=Names(entity.aliases)))
    known = {"part": entity.first_part, "chapter": entity.first_chapter, "count": entity.mentions}
    yield TerminalLine(
        say("cli.entities.mentions" if entity.first_chapter is None else "cli.entities.first_mention", **known)
    )
    if entity.description:
        yield TerminalLine(entity.description)
    if entity.summary:
        place = {"part": entity.summary.part, "chapter": entity.summary.chapter}
        yield TerminalLine(say("cli.entities.described_as_of", **place), "bold")
        yield from (TerminalLine(f"- {one.text}") for one in entity.summary.sentences)


@app.command()
def merge(
    name: Annotated[str, typer.Argument(help="help.entities.merge.name")],
    into: Annotated[str, typer.Argument(help="help.entities.merge.into")],
    library: LibraryOption,
) -> None:
    """Merge an entity into another: aliases, passages' tags, relations, events."""
    show(Message("cli.entities.merged"), run(lambda app: app.entities.merge(library, name, into)))


@app.command()
def split(name: Annotated[str, typer.Argument(help="help.entities.split.name")], library: LibraryOption) -> None:
    """Undo exactly the merge of a name, whether a person or a model made it; any other alias becomes an entity."""
    show(Message("cli.entities.split_off"), run(lambda app: app.entities.split(library, name)))


@app.command()
def rename(
    name: Annotated[str, typer.Argument(help="help.entities.rename.name")],
    to: Annotated[str, typer.Argument(help="help.entities.rename.to")],
    library: LibraryOption,
) -> None:
    """Give an entity a better name; the old one becomes an alias."""
    show(Message("cli.entities.renamed"), run(lambda app: app.entities.rename(library, name, to)))


@app.command()
def kind(
    name: Annotated[str, typer.Argument(help="help.entities.kind.name")],
    library: LibraryOption,
    kind: Annotated[EntityKind | None, typer.Argument(help="help.entities.kind.kind")] = None,
    none: Annotated[bool, typer.Option("--none", help="help.entities.kind.none")] = False,
) -> None:
    """Say what an entity is, or that it is no name at all; later ingests keep it."""
    if (kind is None) != none:
        raise typer.BadParameter(say("cli.entities.kind_or_none"))
    show_change(Message("cli.entities.changed_by"), run(lambda app: app.entities.set_kind(library, name, kind)))


@app.command()
def changes(library: LibraryOption) -> None:
    """List what people have decided on names and narrators, with the ids by which each is undone."""
    found = run(lambda app: app.entities.changes(library)).changes
    print_table(Message("cli.entities.change_columns"), ((one.id, change_text(one)) for one in found))


@app.command()
def undo(id: Annotated[str, typer.Argument(help="help.entities.undo.id")], library: LibraryOption) -> None:
    """Take one of these decisions back."""
    show_change(Message("cli.entities.undone"), run(lambda app: app.entities.undo(library, id)))


def change_text(one: "ChangeView") -> str:
    places = [one.part, one.first, one.last]
    return say(
        CHANGES[one.what].key,
        name=one.name or "-",
        into=one.into or "",
        kind=one.kind or "",
        places="/".join("*" if place is None else str(place) for place in places),
    )


def show_change(title: Message, done: "ChangeResult") -> None:
    print_line(say(title.key, id=done.change.id, text=change_text(done.change)), "bold")
    print_line(say("cli.entities.changed", passages=done.passages, relations=done.relations, events=done.events))


@app.command("import")
def importing(
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, help="help.entities.import.files")],
    library: LibraryOption,
    source: Annotated[str | None, typer.Option(help="help.entities.import.source")] = None,
) -> None:
    """Add aliases, relations and events to a book that is there; later ingests of its text keep them."""
    done = run(lambda app: app.libraries.add_tables(library, files, source=source))
    counts = {"names": done.names, "relations": done.relations, "events": done.events, "passages": done.passages}
    print_line(say("cli.entities.imported", **counts), "bold")
    for row in done.bad:
        print_line(say("cli.entities.bad_row", row=row))


@app.command()
def narrator(
    library: LibraryOption,
    name: Annotated[str | None, typer.Argument(help="help.entities.narrator.name")] = None,
    none: Annotated[bool, typer.Option("--none", help="help.entities.narrator.none")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="help.entities.narrator.undo")] = False,
    part: Annotated[int | None, typer.Option(min=1, help="help.entities.narrator.part")] = None,
    first: Annotated[int | None, typer.Option("--from", min=0, help="help.entities.narrator.first")] = None,
    last: Annotated[int | None, typer.Option("--to", min=0, help="help.entities.narrator.last")] = None,
) -> None:
    """Show who narrates the chapters of a library, or set it; later ingests keep it."""
    from wenmai.application.entities import Narrator

    if sum((name is not None, none, undo)) > 1:
        raise typer.BadParameter(say("cli.entities.one_narrator"))

    async def work(app: "Operations") -> "Narrators":
        if undo:
            return await app.entities.undo_narrators(library)
        if name is None and not none:
            return await app.entities.narrators(library)
        return await app.entities.set_narrator(library, Narrator(name=name, part=part, first=first, last=last))

    found = run(work)
    rows = ((str(one.part), one.title, one.name or "-", str(TOLD_BY[one.by])) for one in found.chapters)
    print_table(Message("cli.entities.narrator_columns"), rows)
    if name is not None or none or undo:
        print_line(say("cli.entities.narrator_set", passages=found.passages))


def show(title: Message, done: "MergeResult") -> None:
    print_line(say(title.key, name=done.name, into=done.into), "bold")
    print_line(say("cli.entities.changed", passages=done.passages, relations=done.relations, events=done.events))
    added = [one for one in done.aliases if one not in done.aliases_before]
    gone = [one for one in done.aliases_before if one not in done.aliases]
    for word, names in (
        (Message("cli.entities.aliases_added"), added),
        (Message("cli.entities.aliases_removed"), gone),
    ):
        if names:
            print_line(say("cli.entities.alias_changes", name=done.into, word=word, names=Names(names)))
    print_line(say("cli.entities.count", count=done.entities))
