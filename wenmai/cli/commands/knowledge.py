"""`wenmai knowledge`: typed knowledge networks that are kept here."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tools.errors import InputError, StoreError
from tools.wording import Names, Words
from wenmai.cli.options import YesOption
from wenmai.cli.output.terminal import Line, print_line, print_lines, print_table, require_yes
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
    from wenmai.cli.placing import Operations

COUNT = Words("  {name}：{count}", "  {name}: {count}")
DELETED = Words("已删除知识网络 {network}", "Deleted network {network}")
CONFIRM = Words("删除知识网络 {network}？不能恢复", "Delete network {network}? It cannot be undone")
EXPORTED = Words(
    "已导出 {instances} 个实例和 {relations} 条关系到 {folder}",
    "Exported {instances} instances and {relations} relations to {folder}",
)
NOT_EMPTY = Words("文件夹 {folder} 不是空的：请给出一个新文件夹", "the folder {folder} is not empty: name a new one")
PROPERTY = Words("  {name}：{values}", "  {name}: {values}")
INSTANCE = Words("{name}（{kind}）", "{name} ({kind})")
KIND = Words("{id}（{name}）", "{id} ({name})")
NO_INSTANCES = Words("未找到匹配的实例", "No instance has it")
NO_NETWORKS = Words(
    "还没有知识网络：用 wenmai knowledge import 导入", "No networks yet: import one by wenmai knowledge import"
)
INFERRED = Words(
    "  推断的类型与属性写在 {file}：修改后用 wenmai knowledge import {folder} 再次导入",
    "  What was inferred stands in {file}: mend it, then wenmai knowledge import {folder}",
)
NOT_INFERRED = Words(
    "  推断的类型与属性没有写出：{file} 已存在，换一个文件夹用 --out",
    "  What was inferred is not written: {file} is there already; another folder goes with --out",
)
DANGLING = Words(
    "  忽略 {count} 条关系：有一端不是实例", "  {count} relations are left out: an end of each is no instance"
)
IMPORTING = Words("导入知识网络", "Importing the network")
COUNTS = {
    "object_types": Words("对象类型", "object types"),
    "relation_types": Words("关系类型", "relation types"),
    "instances": Words("实例", "instances"),
    "relations": Words("关系", "relations"),
}
UNITS = {"relations": "条"}
COMMA = Words("，", ", ")
COUNTED = Words("{count} {unit}{name}", "{count} {name}")
IMPORTED = Words("已导入知识网络 {id}：{counts}", "Imported network {id}: {counts}")
UNCHANGED = Words("没有变化，未写入知识网络 {id}：{counts}", "Network {id} is the same and was not written: {counts}")
UNREADABLE = Words("无法读取", "cannot be read")
PROPERTIES = Words("对象类型,属性,显示名,数据类型,条件", "object type,property,name,type,conditions")
RELATIONS = Words("关系类型,名称,起点,终点,说明", "relation type,name,source,target,comment")
NETWORKS = Words("id,名称,对象类型,关系类型,实例,关系", "id,name,object types,relation types,instances,relations")
ARROWS = {"outgoing": "→", "incoming": "←"}
NetworkArgument = Annotated[str, typer.Argument(help="Id of the network.")]

app = typer.Typer(
    help="Import, look at, export and delete knowledge networks.", no_args_is_help=True, rich_markup_mode=None
)


@app.command("import")
def importing(
    path: Annotated[
        Path,
        typer.Argument(
            exists=True,
            help="Folder with network.yaml or with plain CSV files, a YAML schema, or a JSON file of triples.",
        ),
    ],
    network: Annotated[
        str | None, typer.Option(help="Id of the network; default: the one in the schema, or the folder's name.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Where to write what was inferred; default: ./ID, or ./ID_network if that is the folder read.",
        ),
    ] = None,
) -> None:
    """Import a network as a whole; one of the same id is replaced. The very same content is not written again."""
    from wenmai.cli.output.live import count_progress
    from wenmai.knowledge.files import SCHEMA_FILE, write_files

    async def work(app: "Operations") -> "tuple[ImportReceipt, Mapping[str, str]]":
        with count_progress(IMPORTING.say()) as bar:
            report = await app.networks.load(path, network=network, progress=bar)
        return report, (await app.networks.export(report.id)).files if report.is_inferred else {}

    report, inferred = run(work, is_shared=True)
    counts = COMMA.say().join(
        COUNTED.say(count=report.counts[kind], unit=UNITS.get(kind, "个"), name=name) for kind, name in COUNTS.items()
    )
    print_line((IMPORTED if report.written else UNCHANGED).say(id=report.id, counts=counts))
    if report.dangling:
        print_line(DANGLING.say(count=report.dangling))
    if not inferred:
        return
    own = Path(report.id)
    folder = out or (own.with_name(f"{own.name}_network") if own.resolve() == path.resolve() else own)
    if (folder / SCHEMA_FILE).exists():  # it may have been edited, and stays
        print_line(NOT_INFERRED.say(file=folder / SCHEMA_FILE))
        return
    write_files(inferred, folder)
    print_line(INFERRED.say(file=folder / SCHEMA_FILE, folder=folder))


@app.command("list")
def listing() -> None:
    """List the networks."""
    from wenmai.application.paging import EVERY

    rows = run(lambda app: app.networks.list(limit=EVERY), is_shared=True).items
    if rows:
        print_table(NETWORKS, ((one.id, one.name, *(str(getattr(one, kind)) for kind in COUNTS)) for one in rows))
    else:
        print_line(NO_NETWORKS.say())


@app.command()
def schema(network: NetworkArgument) -> None:
    """Show the object types with their properties, and the relation types."""
    known = run(lambda app: app.networks.schema(network), is_shared=True)
    print_table(PROPERTIES, property_rows(known))
    if known.relation_types:
        rows = ((one.id, one.name, one.source, one.target, one.comment) for one in known.relation_types)
        print_table(RELATIONS, rows)


def property_rows(known: "SchemaView") -> list[tuple[str, ...]]:
    """Return a row for each property; a primary key has a star."""
    return [
        (
            KIND.say(id=kind.id, name=kind.name) if not number else "",
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
    keyword: Annotated[str, typer.Argument(help="A value of any property: a name, an id.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="Instances, and neighbours of each relation.")] = 10,
) -> None:
    """Show instances that have, or contain, a value, with their properties and neighbours."""

    async def work(app: "Operations") -> "tuple[SchemaView, SeenPage]":
        return await app.networks.schema(network), await app.networks.find(network, keyword, limit=limit)

    known, found = run(work, is_shared=True)
    if not found.items:
        print_line(NO_INSTANCES.say())
    kinds = {one.id: one for one in known.object_types}
    for seen in found.items:
        print_lines(lines_of(seen, kinds))


def lines_of(seen: "SeenView", kinds: "Mapping[str, ObjectTypeView]") -> "Iterator[Line]":
    kind = kinds[seen.instance.type]
    names = {one.name: one.display_name or one.name for one in kind.properties}
    yield Line(INSTANCE.say(name=label_of(seen.instance, kinds), kind=kind.name))
    for name, value in seen.instance.properties.items():
        values = value if isinstance(value, list) else [value]
        yield Line(PROPERTY.say(name=names[name], values=Names(map(str, values))))
    for one in seen.neighbours:
        yield Line(f"  {ARROWS[one.direction]} {one.relation} {label_of(one.instance, kinds)}")


def label_of(instance: "InstanceView", kinds: "Mapping[str, ObjectTypeView]") -> str:
    keys = [one.name for one in kinds[instance.type].properties if one.is_key]
    return instance.display or "、".join(str(instance.properties.get(name)) for name in keys)


@app.command()
def export(
    network: NetworkArgument,
    folder: Annotated[Path, typer.Argument(file_okay=False, help="Folder to write; it must be new or empty.")],
) -> None:
    """Write a network as network.yaml and JSON lines; import reads it back."""
    from wenmai.knowledge.files import write_files

    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(NOT_EMPTY.of(folder=folder))
    found = run(lambda app: app.networks.export(network), is_shared=True)
    write_files(found.files, folder)
    counts = found.counts
    print_line(EXPORTED.say(instances=counts["instances"], relations=counts["relations"], folder=folder))


@app.command()
def delete(
    network: NetworkArgument,
    yes: YesOption = False,
) -> None:
    """Delete a network and print a receipt."""
    if not yes:
        with suppress(StoreError):  # what cannot be read can be deleted
            run(lambda app: app.networks.schema(network), is_shared=True)
    require_yes(CONFIRM.say(network=network), yes)
    counts = run(lambda app: app.networks.delete(network), is_shared=True).counts
    print_line(DELETED.say(network=network))
    for kind, name in COUNTS.items():
        print_line(COUNT.say(name=name, count=counts.get(kind, UNREADABLE)))
