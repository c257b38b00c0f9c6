"""`wenmai knowledge`: typed knowledge networks that are kept here."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError, StoreError
from tools.messages import Message, Names, say
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import TerminalLine, print_line, print_lines, print_table, require_yes
from wenmai.cli.placing import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wenmai.application.networks import (
        ImportReceipt,
        InstanceView,
        ObjectTypeView,
        SchemaView,
        SeenPage,
        SeenView,
    )
    from wenmai.application.paging import Page
    from wenmai.cli.placing import Operations

COUNTS = {
    "object_types": Message("count.object_types"),
    "relation_types": Message("count.relation_types"),
    "instances": Message("count.instances"),
    "relations": Message("count.relations"),
}
UNITS = {"relations": "条"}
ARROWS = {"outgoing": "→", "incoming": "←"}
NetworkArgument = Annotated[str, typer.Argument(help="help.knowledge.network")]

app = typer.Typer(help="help.knowledge.about", no_args_is_help=True, rich_markup_mode=None)


@app.command("import")
def importing(
    path: Annotated[Path, typer.Argument(exists=True, help="help.knowledge.import.path")],
    network: Annotated[str | None, typer.Option(help="help.knowledge.import.network")] = None,
    out: Annotated[Path | None, typer.Option(file_okay=False, help="help.knowledge.import.out")] = None,
) -> None:
    """Import a network as a whole; one of the same id is replaced. The very same content is not written again."""
    from wenmai.cli.output.live import count_progress
    from wenmai.knowledge.files import SCHEMA_FILE, write_files

    async def work(app: "Operations") -> "tuple[ImportReceipt, Mapping[str, str]]":
        with count_progress(say("cli.networks.importing")) as bar:
            report = await app.networks.load(path, network=network, progress=bar)
        return report, (await app.networks.export(report.id)).files if report.is_inferred else {}

    report, inferred = run(work, is_shared=True)
    counts = say("sign.comma").join(
        say("cli.networks.count_unit", count=report.counts[kind], unit=UNITS.get(kind, "个"), name=name)
        for kind, name in COUNTS.items()
    )
    print_line(
        say("cli.networks.imported" if report.written else "cli.networks.unchanged", id=report.id, counts=counts)
    )
    if report.dangling:
        print_line(say("cli.networks.dangling_relations", count=report.dangling))
    if not inferred:
        return
    own = Path(report.id)
    folder = out or (own.with_name(f"{own.name}_network") if own.resolve() == path.resolve() else own)
    if (folder / SCHEMA_FILE).exists():  # it may have been edited, and stays
        print_line(say("cli.networks.inferred_not_written", file=folder / SCHEMA_FILE))
        return
    write_files(inferred, folder)
    print_line(say("cli.networks.inferred_written", file=folder / SCHEMA_FILE, folder=folder))


@app.command("list")
def listing() -> None:
    """List the networks."""
    from wenmai.application.paging import EVERY

    rows = run(lambda app: app.networks.list(limit=EVERY), is_shared=True).items
    if rows:
        print_table(
            Message("cli.networks.columns_of_networks"),
            ((one.id, one.name, *(str(getattr(one, kind)) for kind in COUNTS)) for one in rows),
        )
    else:
        print_line(say("cli.networks.none"))


@app.command()
def schema(network: NetworkArgument) -> None:
    """Show the object types with their properties, and the relation types."""
    known = run(lambda app: app.networks.schema(network), is_shared=True)
    print_table(Message("cli.networks.columns_of_properties"), property_rows(known))
    if known.relation_types:
        rows = ((one.id, one.name, one.source, one.target, one.comment) for one in known.relation_types)
        print_table(Message("cli.networks.columns_of_relations"), rows)


def property_rows(known: "SchemaView") -> list[tuple[str, ...]]:
    """Return a row for each property; a primary key has a star."""
    return [
        (
            say("cli.networks.id_and_name", id=kind.id, name=kind.name) if not number else "",
            f"{one.name}{' *' if one.is_key else ''}",
            one.display_name,
            one.type,
            " ".join(one.conditions),
        )
        for kind in known.object_types
        for number, one in enumerate(kind.properties)
    ]


@app.command()
def show(
    network: NetworkArgument,
    keyword: Annotated[str, typer.Argument(help="help.knowledge.show.keyword")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="help.knowledge.show.limit")] = 10,
) -> None:
    """Show instances that have, or contain, a value, with their properties and neighbours."""

    async def work(app: "Operations") -> "tuple[SchemaView, SeenPage]":
        return await app.networks.schema(network), await app.networks.find(network, keyword, limit=limit)

    known, found = run(work, is_shared=True)
    if not found.items:
        print_line(say("cli.networks.no_instance_found"))
    kinds = {one.id: one for one in known.object_types}
    for seen in found.items:
        print_lines(lines_of(seen, kinds))


@app.command()
def rows(
    network: NetworkArgument,
    type: Annotated[str, typer.Argument(help="help.knowledge.rows.type")],
    query: Annotated[str | None, typer.Option(help="help.knowledge.rows.query")] = None,
    sort: Annotated[str | None, typer.Option(help="help.knowledge.rows.sort")] = None,
    descending: Annotated[bool, typer.Option("--desc", help="help.knowledge.rows.desc")] = False,
    limit: Annotated[int, typer.Option(min=1, help="help.knowledge.rows.limit")] = 50,
) -> None:
    """List the rows of a type, in the order of a property."""

    async def work(app: "Operations") -> "tuple[SchemaView, Page[InstanceView]]":
        known = await app.networks.schema(network)
        return known, await app.networks.rows(network, type, query=query, sort=sort, descending=descending, limit=limit)

    known, found = run(work, is_shared=True)
    columns = next(one.properties for one in known.object_types if one.id == type)
    if not found.items:
        return print_line(say("cli.networks.no_instance_found"))
    labels = [(one.display_name or one.name).replace(",", " ") for one in columns]
    cells = ((text_of(one.properties.get(column.name)) for column in columns) for one in found.items)
    print_table(Message("cli.networks.columns_of_rows", columns=",".join(labels)), map(tuple, cells))
    print_line(say("cli.networks.rows_of", count=len(found.items), total=found.total))


def text_of(value: object) -> str:
    return "" if value is None else str(Names(map(str, value))) if isinstance(value, list) else str(value)


@app.command()
def row(
    network: NetworkArgument,
    id: Annotated[str, typer.Argument(help="help.knowledge.row.id")],
    type: Annotated[str | None, typer.Option(help="help.knowledge.row.type")] = None,
) -> None:
    """Show one row by its key, with its relations."""

    async def work(app: "Operations") -> "tuple[SchemaView, SeenView]":
        return await app.networks.schema(network), await app.networks.row(network, id, type=type)

    known, found = run(work, is_shared=True)
    print_lines(lines_of(found, {one.id: one for one in known.object_types}))


def lines_of(seen: "SeenView", kinds: "Mapping[str, ObjectTypeView]") -> "Iterator[TerminalLine]":
    kind = kinds[seen.instance.type]
    names = {one.name: one.display_name or one.name for one in kind.properties}
    yield TerminalLine(say("sign.name_and_kind", name=label_of(seen.instance, kinds), kind=kind.name))
    for name, value in seen.instance.properties.items():
        yield TerminalLine(say("cli.networks.property_row", name=names[name], values=text_of(value)))
    for one in seen.neighbours:
        yield TerminalLine(f"  {ARROWS[one.direction]} {one.relation} {label_of(one.instance, kinds)}")


def label_of(instance: "InstanceView", kinds: "Mapping[str, ObjectTypeView]") -> str:
    keys = [one.name for one in kinds[instance.type].properties if one.is_key]
    return instance.display or str(Names(instance.properties.get(name) for name in keys))


@app.command()
def export(
    network: NetworkArgument,
    folder: Annotated[Path, typer.Argument(file_okay=False, help="help.knowledge.export.folder")],
) -> None:
    """Write a network as network.yaml and JSON lines; import reads it back."""
    from wenmai.knowledge.files import write_files

    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(Message("cli.networks.folder_not_empty", folder=folder))
    found = run(lambda app: app.networks.export(network), is_shared=True)
    write_files(found.files, folder)
    counts = found.counts
    print_line(
        say("cli.networks.exported", instances=counts["instances"], relations=counts["relations"], folder=folder)
    )


@app.command()
def delete(network: NetworkArgument, yes: YesOption = False) -> None:
    """Delete a network and print a receipt."""
    if not yes:
        with suppress(StoreError):  # what cannot be read can be deleted
            run(lambda app: app.networks.schema(network), is_shared=True)
    require_yes(say("cli.networks.confirm_delete", network=network), yes)
    counts = run(lambda app: app.networks.delete(network), is_shared=True).counts
    print_line(say("cli.networks.deleted", network=network))
    for kind, name in COUNTS.items():
        print_line(say("cli.networks.count_row", name=name, count=counts.get(kind, Message("count.unreadable"))))
