"""`wenmai knowledge`: typed knowledge networks that are kept here."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wenmai.cli.output.memory_rows import print_line, print_table, table

if TYPE_CHECKING:
    from tools.networks.records import Instance, NetworkSchema, Value
    from wenmai.knowledge.content import Content
    from wenmai.knowledge.keeping import Imported
    from wenmai.knowledge.looking import Seen

COUNTS = {"object_types": "对象类型", "relation_types": "关系类型", "instances": "实例", "relations": "关系"}
UNITS = {"relations": "条"}
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
    from wenmai.app.knowledge_store import imported
    from wenmai.cli.output.progress import counted
    from wenmai.knowledge.reading import read_content

    content, inferred = read_content(path, network)
    with counted("导入知识网络") as bar:
        report = imported(content, bar)
    print_line(summary(report))
    if report.dangling:
        print_line(f"  忽略 {report.dangling} 条关系：有一端不是实例")
    if inferred:
        own = Path(report.network_id)
        beside = own.with_name(f"{own.name}_network") if own.resolve() == path.resolve() else own
        write_inferred(content, out or beside)


def summary(report: "Imported") -> str:
    """Return what an import did."""
    counts = "，".join(f"{report.counts[kind]} {UNITS.get(kind, '个')}{name}" for kind, name in COUNTS.items())
    return f"{'已导入' if report.written else '没有变化，未写入'}知识网络 {report.network_id}：{counts}"


def write_inferred(content: "Content", folder: Path) -> None:
    """Write what was inferred for a person to edit; what is there already may have been edited, and stays."""
    from wenmai.knowledge.files import SCHEMA_FILE, write_network

    if (folder / SCHEMA_FILE).exists():
        print_line(f"  推断的类型与属性没有写出：{folder / SCHEMA_FILE} 已存在，换一个目录用 --out")
        return
    write_network(content, folder)
    print_line(f"  推断的类型与属性写在 {folder / SCHEMA_FILE}：修改后用 wenmai knowledge import {folder} 再次导入")


@app.command("list")
def listing() -> None:
    """List the networks."""
    from wenmai.app.knowledge_store import networks

    rows = networks()
    if not rows:
        print_line("还没有知识网络：用 wenmai knowledge import 导入")
        return
    titles = ("id", "名称", *COUNTS.values())
    counted = ((one.spec.id, one.spec.name, *(str(one.counts[kind]) for kind in COUNTS)) for one in rows)
    print_table(table(titles, counted))


@app.command()
def schema(network: NetworkArgument) -> None:
    """Show the object types with their properties, and the relation types."""
    from wenmai.app.knowledge_store import schema_of

    known = schema_of(network)
    print_table(table(("对象类型", "属性", "显示名", "数据类型", "条件"), property_rows(known)))
    if known.relation_types:
        titles = ("关系类型", "名称", "起点", "终点", "说明")
        rows = (
            (one.id, one.name, one.source_object_type_id, one.target_object_type_id, one.comment)
            for one in known.relation_types
        )
        print_table(table(titles, rows))


def property_rows(known: "NetworkSchema") -> list[tuple[str, ...]]:
    """Return a row for each property; a primary key has a star."""
    return [
        (
            f"{kind.id}（{kind.name}）" if not number else "",
            f"{one.name}{' *' if one.name in kind.primary_keys else ''}",
            one.display_name,
            one.type,
            " ".join(one.condition_operations),
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
    from wenmai.app.knowledge_store import found_in

    found = found_in(network, keyword, limit)
    if not found:
        print_line("未找到匹配的实例")
    for seen in found:
        for line in lines_of(seen):
            print_line(line)


def lines_of(seen: "Seen") -> list[str]:
    """Return an instance line by line; nulls are left out."""
    names = {one.name: one.display_name or one.name for one in seen.kind.properties}
    values = {names[name]: value for name, value in seen.instance.properties.items() if value is not None}
    return [
        f"{called(seen.instance)}（{seen.kind.name}）",
        *(f"  {name}：{'、'.join(map(str, as_list(value)))}" for name, value in values.items()),
        *(f"  {ARROWS[one.direction]} {one.relation} {called(one.instance)}" for one in seen.neighbours),
    ]


def called(instance: "Instance") -> str:
    """Return how an instance is called."""
    return instance.display or "、".join(map(str, instance.identity.values()))


def as_list(value: "Value") -> "list[Value]":
    """Return the values of a property."""
    return value if isinstance(value, list) else [value]


@app.command()
def export(
    network: NetworkArgument,
    folder: Annotated[Path, typer.Argument(file_okay=False, help="Folder to write; it must be new or empty.")],
) -> None:
    """Write a network as network.yaml and JSON lines; import reads it back."""
    from wenmai.app.knowledge_store import content_of
    from wenmai.errors import InputError
    from wenmai.knowledge.files import write_network

    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"目录 {folder} 不是空的：请给出一个新目录")
    content = content_of(network)
    write_network(content, folder)
    print_line(f"已导出 {content.instances} 个实例和 {content.relations} 条关系到 {folder}")


@app.command()
def delete(
    network: NetworkArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a network and print a receipt."""
    from wenmai.app.knowledge_store import deleted, require
    from wenmai.cli.output.terminal import require_yes

    require(network)
    require_yes(f"删除知识网络 {network}？不能恢复", yes)
    counts = deleted(network)
    print_line(f"已删除知识网络 {network}")
    for kind, name in COUNTS.items():
        print_line(f"  {name}：{counts.get(kind, '无法读取')}")
