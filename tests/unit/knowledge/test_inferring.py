"""Networks from folders of plain CSV files: keys, references, joins, and what the files of real programs look like."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.table_folders import FOLDERS, write_folder
from tools.errors import InputError
from wenmai.knowledge.content import CheckedContent
from wenmai.knowledge.files import network_files, read_network, write_files
from wenmai.knowledge.inferring import read_folder
from wenmai.knowledge.reading import read_content

Table = tuple[str, Sequence[str], Sequence[Sequence[object]]]
PEOPLE: Table = (
    "Employees.csv",
    ["EmployeeID", "FirstName", "LastName", "ReportsTo"],
    [(1, "Ann", "Berg", ""), (2, "Bo", "Carr", 1), (3, "Cy", "Dahl", 1)],
)


def folder(path: Path, *tables: Table, delimiter: str = ",", encoding: str = "utf-8-sig") -> Path:
    """Write CSV files."""
    for name, header, rows in tables:
        with (path / name).open("w", newline="", encoding=encoding) as file:
            csv.writer(file, delimiter=delimiter).writerows([header, *rows])
    return path


def joined(content: CheckedContent) -> dict[str, tuple[str, str]]:
    """Return the ends of each relation by its name."""
    return {one.name: (one.source, one.target) for one in content.spec.relation_types}


@pytest.mark.parametrize(
    ("domain", "relations", "keys"),
    [
        (
            "trading",
            {
                "reports to": ("employee", "employee"),
                "order": ("order_line", "order"),
                "product": ("order_line", "product"),
                "customer": ("order", "customer"),
                "employee": ("order", "employee"),
                "shipper": ("order", "shipper"),
                "supplier": ("product", "supplier"),
                "category": ("product", "category"),
                "order line product": ("order", "product"),
            },
            {"order_line": ["orderID", "productID"], "customer": ["customerID"]},
        ),
        (
            "hospital",
            {
                "patient": ("admission", "patient"),
                "doctor": ("admission", "doctor"),
                "ward": ("admission", "ward"),
                "head": ("department", "doctor"),
                "supervisor": ("doctor", "doctor"),
                "manufacturer": ("drug", "manufacturer"),
                "admission": ("prescription", "admission"),
                "drug": ("prescription", "drug"),
                "department": ("ward", "department"),
                "prescription drug": ("admission", "drug"),
            },
            {"prescription": ["admission_id", "drug_id"]},
        ),
    ],
)
def test_related_files(
    tmp_path: Path, domain: str, relations: dict[str, tuple[str, str]], keys: dict[str, list[str]]
) -> None:
    """KNO-36: keys, references to itself and others, and the relation that a file of pairs makes."""
    content = read_folder(write_folder(FOLDERS[domain](), tmp_path), domain)
    assert joined(content) == relations
    found = {one.id: one.primary_keys for one in content.spec.object_types}
    assert {id: found[id] for id in keys} == keys
    assert content.dangling == 0 and content.instances == sum(map(len, FOLDERS[domain]().values()))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """KNO-36: the network.yaml that is written for the user to mend gives the same network."""
    content, inferred = read_content(write_folder(FOLDERS["trading"](), tmp_path / "trading"), None)
    assert inferred and content.spec.id == "trading"
    write_files(network_files(content), tmp_path / "out")
    assert read_network(tmp_path / "out", None).rows == content.rows
    text = (tmp_path / "out" / "network.yaml").read_text(encoding="utf-8")
    assert "comment: 又称：供应商" in text and "name: reports to" in text
    assert read_content(tmp_path / "out", None)[1] is False


def test_headers_as_programs_write_them(tmp_path: Path) -> None:
    """KNO-36: a name of two columns, a reference by ShipVia, one by name, numbers for rows without keys."""
    orders: Table = (
        "Orders.csv",
        ["OrderID", "ShipVia", "Category"],
        [(10, 2, "Sea food"), (11, 1, "Grain"), (12, 1, "Dairy")],
    )
    shippers: Table = ("Shippers.csv", ["ShipperID", "CompanyName"], [(1, "Swift"), (2, "Polar"), (3, "Haul")])
    kinds: Table = ("Categories.csv", ["CategoryName", "Note"], [("Sea food", "x"), ("Grain", "y"), ("Dairy", "z")])
    towns: Table = ("Territories.csv", ["Town", "RegionID"], [("Boston", 1), ("Boston", 2), ("Salem", 1)])
    content = read_folder(folder(tmp_path, PEOPLE, orders, shippers, kinds, towns, delimiter=";"), "x")
    assert joined(content) == {
        "reports to": ("employee", "employee"),
        "ship via": ("order", "shipper"),
        "category": ("order", "category"),
    }
    assert content.rows["employee"][0]["full_name"] == "Ann Berg"
    assert [row["row"] for row in content.rows["territory"]] == [1, 2, 3], "RegionID is no key of shippers"


def test_chinese_headers(tmp_path: Path) -> None:
    """KNO-36: 编号 marks keys, in GB18030 too; ids are spelled in letters, names stay."""
    books: Table = ("图书.csv", ["图书编号", "书名", "作者编号"], [("B1", "纸船", "A2"), ("B2", "旧港", "A1")])
    authors: Table = ("作者.csv", ["作者编号", "姓名"], [("A1", "沈听澜"), ("A2", "陆晚舟")])
    content = read_folder(folder(tmp_path, books, authors, encoding="gb18030"), "x")
    assert joined(content) == {"作者": ("tu_shu", "zuo_zhe")}
    assert [one.display_key for one in content.spec.object_types] == ["xing_ming", "shu_ming"]
    assert "author" in content.spec.object_types[0].comment


@pytest.mark.parametrize(
    ("header", "rows", "display"),
    [
        (["staffID", "fullName", "title"], [(1, "Ann Berg", "Clerk"), (2, "Bo Carr", "Chief")], "fullName"),
        (["staffID", "title", "employeeName"], [(1, "Clerk", "Ann Berg"), (2, "Chief", "Bo Carr")], "employeeName"),
        (["staffID", "title", "firstName", "lastName"], [(1, "Clerk", "Ann", "Berg")], "full_name"),
        (["staffID", "title", "phone"], [(1, "Clerk", "12"), (2, "Clerk", "13")], ""),
        (["staffID", "jobTitle"], [(1, "Clerk"), (2, "Clerk")], ""),
        (["staffID", "title"], [(1, "Paper Boats"), (2, "Old Harbor")], "title"),
        (
            ["员工编号", "部门名称", "员工姓名"],
            [(1, "销售部", "沈听澜"), (2, "财务部", "陆晚舟")],
            "yuan_gong_xing_ming",
        ),
    ],
)
def test_the_name_of_a_row(tmp_path: Path, header: list[str], rows: list[Sequence[object]], display: str) -> None:
    """KNO-36: rows are called by their own name; a title is one only where it stands alone and tells rows apart."""
    content = read_folder(folder(tmp_path, ("staff.csv", header, rows)), "x")
    assert [one.display_key for one in content.spec.object_types] == [display]


def test_references_by_role_and_by_value(tmp_path: Path) -> None:
    """KNO-36: a role means people; keys that count no rows tell whose they are, small numbers do not."""
    staff: Table = ("crew.csv", ["crewID", "fullName"], [(n, f"Ann {n}") for n in range(1, 7)])
    rooms: Table = ("rooms.csv", ["roomID", "roomName"], [(n, f"Room {n}") for n in range(201, 206)])
    jobs: Table = (
        "jobs.csv",
        ["jobID", "leadID", "regionID", "placeID", "points"],
        [(11, 3, 1, 204, 201), (12, 5, 2, 201, 202), (13, 4, 3, 205, 203)],
    )
    content = read_folder(folder(tmp_path, staff, rooms, jobs), "x")
    assert joined(content) == {"lead": ("job", "crew"), "place": ("job", "room")}


def test_a_row_that_points_nowhere(tmp_path: Path) -> None:
    """KNO-36: a few values without a row of the other file make no other relation."""
    parts: Table = ("parts.csv", ["part_id", "maker_id"], [(n, f"M{n % 9}" if n else "M99") for n in range(60)])
    makers: Table = ("makers.csv", ["maker_id", "name"], [(f"M{n}", f"Maker {n}") for n in range(9)])
    content = read_folder(folder(tmp_path, parts, makers), "x")
    assert joined(content) == {"maker": ("part", "maker")} and content.relations == 59


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\n", "也没有带数据的 CSV 文件"),
        ("", "没有表头"),
        ("a,a\n1,2\n", "表头重复"),
        ("a,b\n1\n", "列数与表头不同"),
    ],
)
def test_what_is_no_table(tmp_path: Path, text: str, told: str) -> None:
    """KNO-36: a folder without rows, and a broken file, are told."""
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_folder(tmp_path, "x")
