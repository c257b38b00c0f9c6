"""Whole tables among uploaded documents: query_table, and the offline mind that calls it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from state.schema import Evidence
from tests.documents.desk import NOT_FOUND, Desk
from tests.fake_documents import FakeDocumentStore
from tests.graph.rig import piece
from tools.base import Scope
from tools.documents.query_table import QueryTable, QueryTableArguments, tables_of
from tools.documents.search import DocumentSearch, chunk_evidence, document_id
from wenmai.minds.offline.drafting import answer_lines
from wenmai.minds.offline.reading import Read

ITEMS = 120
SCOPE = Scope(library="natlan", user_id="林", session_id="t1", thread_id="t1")


def goods() -> str:
    """A table that is too long for one chunk: every tenth item is discontinued, prices run from 1 to 120."""
    rows = [f"Item {n:03},{'Tea' if n % 4 else 'Honey'},{n}.50,{int(n % 10 == 0)}" for n in range(1, ITEMS + 1)]
    return "\n".join(["product,category,price,discontinued", *rows])


async def stocked(filename: str = "goods.csv") -> Desk:
    """Return a desk with a table as the product reads it, in overlapping chunks."""
    desk = Desk()
    texts = await desk.put_file(filename, goods().encode(), size=600, overlap=120)
    assert sum(map(len, texts)) > len(goods()), "nothing overlaps"
    return desk


async def asked(desk: Desk, **arguments: Any) -> Any:
    """Call the tool and return its data."""
    result = await QueryTable(desk.documents)(QueryTableArguments(**arguments), SCOPE)
    assert json.loads(result.text)
    return result


def test_a_value_stands_alone() -> None:
    """DOC-43: below a row or a property that answers no other line is offered, below prose it is."""

    def read(text: str, score: float) -> Read:
        found: Evidence = {**piece(text), "kind": "document", "id": text}
        return Read(found, text, text, score)

    near = [read("region: North | phone: 2", 1.0), read("The office in the North has a phone.", 0.5)]
    for value in ("region: South | phone: 1", "Ivo Lund · phone: 1"):
        assert [one["role"] for one in answer_lines("phone?", [read(value, 3.0), *near], "en")] == ["answer"]
    told = [one["role"] for one in answer_lines("phone?", [read("The phone of the South is 1.", 3.0), *near], "en")]
    assert told[0] == "answer" and "see_also" in told


async def test_conditions_and_figures() -> None:
    """DOC-09: all rows of a table are looked at, each once, whatever chunks they are cut into."""
    desk = await stocked()
    listed = await asked(desk, filters=["discontinued == 1", "price > 101"])
    assert listed.data["total"] == 2
    assert [one["properties"]["product"] for one in listed.data["instances"]] == ["Item 110", "Item 120"]
    rows = [piece for piece in listed.evidence if piece["kind"] == "document"]
    assert [piece["text"].split(" | ")[0] for piece in rows] == ["product: Item 110", "product: Item 120"]
    total = await asked(desk, aggregate="sum", column="price", filters=["category == Honey"])
    assert total.data["value"] == sum(n + 0.5 for n in range(4, ITEMS + 1, 4))
    groups = await asked(desk, aggregate="count", group_by="category")
    assert {one["name"]: one["value"] for one in groups.data["groups"]} == {"Tea": 90, "Honey": 30}
    top = await asked(desk, column="price", order="desc", limit=1)
    assert top.data["instances"][0]["properties"]["product"] == "Item 120"


async def test_what_is_wrong_is_said() -> None:
    """DOC-09: an unknown column or table is an answer that tells what there is."""
    desk = await stocked()
    wrong = await asked(desk, filters=["colour == red"])
    assert not wrong.ok and "discontinued" in wrong.data["detail"]["properties"]
    await desk.put("staff.csv", "name: Ann | town: Ghent\nname: Bob | town: Graz")
    which = await asked(desk)
    assert not which.ok and which.data["detail"]["tables"]["staff.csv"] == ["name", "town"]


STALLS = {
    "2023": "stall,revenue\nPies,1000\nTea,400\n",
    "2024": "stall,revenue\nPies,1300\nCider,700\n",
}


async def market(folders: Mapping[str, str]) -> Desk:
    """Return a desk with a file of one name in several folders of the collection."""
    desk = Desk()
    for folder, text in folders.items():
        await desk.put_file("stalls.csv", text.encode(), folder=folder)
    return desk


@pytest.mark.parametrize(
    ("question", "has", "lacks"),
    [
        ("What is the total revenue?", ("2023/stalls.csv", "1400", "2024/stalls.csv", "2000"), "3400"),
        ("What is the total revenue of 2024?", ("2000",), "1400"),
        ("How much revenue did Pies make?", ("2023/stalls.csv", "1000", "2024/stalls.csv", "1300"), "2300"),
        ("How many stalls are there in 2023?", ("2",), "4"),
        ("Which documents are there?", ("- 2023/stalls.csv", "- 2024/stalls.csv"), "1000"),
        ("Which documents mention Pies?", ("2 ", "- 2023/stalls.csv", "- 2024/stalls.csv"), "1000"),
    ],
)
async def test_tables_of_one_name_in_two_folders(question: str, has: tuple[str, ...], lacks: str) -> None:
    """DOC-44: each is a table of its own, called with its folder."""
    answer = (await (await market(STALLS)).ask(question, mode="agent"))["answer"]
    told = answer.partition("\n\n")[0]
    assert all(text in told for text in has) and lacks not in told, answer


async def test_a_table_is_chosen_by_its_folder() -> None:
    """DOC-44: the name without the folder is enough where one table has it."""
    desk = await market(STALLS)
    which = await asked(desk, document="stalls.csv", aggregate="sum", column="revenue")
    assert not which.ok and sorted(which.data["detail"]["tables"]) == ["2023/stalls.csv", "2024/stalls.csv"]
    own = await asked(desk, document="2023/stalls.csv", aggregate="sum", column="revenue")
    assert own.data["value"] == 1400 and {one["source"] for one in own.evidence} == {"2023/stalls.csv"}
    desk = await market({"2024": STALLS["2024"]})
    assert (await asked(desk, document="stalls.csv", aggregate="sum", column="revenue")).data["value"] == 2000


async def test_tables_of_one_name_in_no_folder() -> None:
    """DOC-44: of all users, of the session and of the top of the collection: each has one name, whoever is at hand."""
    desk = await market({"": STALLS["2023"]})
    await desk.put_file("stalls.csv", STALLS["2024"].encode())
    await desk.put("stalls.csv", "stall: Pies | revenue: 7\nstall: Tea | revenue: 8", session=None)
    which = await asked(desk, aggregate="sum", column="revenue")
    ends = {"000001": 1400, "000002": 2000, "000003": 15}
    assert not which.ok and sorted(which.data["detail"]["tables"]) == [f"stalls.csv ({end})" for end in ends]
    found = await DocumentSearch(desk.documents, desk.embedder).search("Pies", SCOPE, 5)
    chunks = [chunk_evidence(chunk, None, "en") for chunk, _ in found]
    assert len(set(map(document_id, chunks))) == len(ends)
    for absent in ends:
        names = tables_of([chunk for chunk in chunks if not document_id(chunk).endswith(absent)])
        assert len(names) == 2
        for name in names:
            told = await asked(desk, document=name, aggregate="sum", column="revenue")
            assert told.data["value"] == ends[name[-7:-1]] != ends[absent]


@pytest.mark.parametrize(("named", "reads"), [("goods.csv", 1), ("goods.xlsx", 1), ("goods", 1), ("none.csv", 3)])
async def test_only_the_file_that_is_named_is_read(named: str, reads: int) -> None:
    """DOC-09: not a whole collection; where no file has the name all are looked at, for what there is."""
    desk = await stocked()
    for name in ("staff.csv", "towns.csv"):
        await desk.put(name, "name: Ann | town: Ghent")
    store = desk.documents
    assert isinstance(store, FakeDocumentStore)
    store.history.clear()
    found = await asked(desk, document=named, aggregate="count")
    assert [name for name, _ in store.history].count("fetch") == reads
    assert found.ok is (reads == 1) and (not found.ok or found.data["value"] == ITEMS)


async def test_tables_of_others_are_none() -> None:
    """DOC-09: who sees no document of a session sees no row of its tables."""
    desk = await stocked()
    other = Scope(library="natlan", user_id="乙", session_id="t1", thread_id="t1")
    result = await QueryTable(desk.documents)(QueryTableArguments(), other)
    assert not result.ok and result.data["detail"]["tables"] == {}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How many products are discontinued?", "product with discontinued: 12 in all: Item 010[1], Item 020[2]"),
        ("停产的产品有几种？", "discontinued的product共12个：Item 010[1]、Item 020[2]"),
        ("What is the total price of the goods?", "goods — total price: 7320[1]."),
        ("What is the average price in the category Honey?", "Honey — average price: 62.5[1]."),
        ("Which product has the highest price?", "Of 120 (product) Item 120 is the highest, price: 120.50[1]."),
        (
            "discontinued = 1 且 price 超过 101 的有哪些？",
            "price超过 101、discontinued为1的product共2个：Item 110[1]、Item 120[2]。",
        ),
    ],
)
async def test_questions_to_a_table(question: str, first: str) -> None:
    """DOC-09: a number, a sum, a value or a name is the answer, said as of a network, and cites its row."""
    result = await (await stocked()).ask(question, mode="agent")
    assert result["answer"].startswith(first)
    assert all(any(one["quote"] in piece["text"] for piece in result["evidence"]) for one in result["citations"])


async def test_what_a_table_does_not_say() -> None:
    """DOC-09: a condition on a column that is not there is refused."""
    result = await (await stocked()).ask("重量超过 20 的产品有哪些？", mode="agent")
    assert result["status"] == "not_found" and result["answer"].startswith(NOT_FOUND)


SPOONS = (
    "product: Ladle | price: 12.5 | stock: 3 | discontinued: 1\nproduct: Fork | price: 8 | stock: 0 | discontinued: 0"
)
MORE_SPOONS = "product: Knife | price: 3.2 | stock: 14 | discontinued: 1\nproduct: Total | price: 23.7 | stock: 17"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("哪些 product 的 price 高于 5？", "price高于 5的product共2个：Ladle[1]、Fork[2]。"),
        ("Which products have a price not over 5?", "product with price not over 5: 1 in all: Knife[1]."),
        ("What is the total stock?", "spoons — total stock: 17[1]."),
        ("Which product has the highest price?", "Of 3 (product) Ladle is the highest, price: 12.5[1]."),
        ("Which products are not discontinued?", "product with discontinued 0: 1 in all: Fork[1]."),
        ("What is the price of the Fork?", "Fork — price: 8[1]."),
    ],
)
async def test_one_search_computes_over_the_rows_that_it_found(question: str, told: str) -> None:
    """DOC-06: in rag mode all rows of the evidence are looked at; a row that adds up the others is none of them."""
    desk = Desk()
    await desk.put("spoons.csv", f"{SPOONS}\n{MORE_SPOONS}")
    assert (await desk.ask(question, mode="rag"))["answer"] == told


async def test_a_table_that_was_found_in_part_is_said_to_be_so() -> None:
    """DOC-06: where a search may have left out rows, the answer says that it did not look at all of them."""
    desk = Desk()
    await desk.put("spoons.csv", *(f"product: Spoon {n} | price: {n}.5 | stock: {n}" for n in range(1, 9)))
    answer = (await desk.ask("Which products have a price over 2?", mode="rag"))["answer"]
    assert answer.splitlines()[-1].startswith("Only rows that the search found were looked at")


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("Which state has the highest TOTAL?", "Ohio"),
        ("How many states have a TOTAL over 20?", "2"),
        ("What is the sum of TOTAL?", "95"),
        ("What is the TOTAL of Iowa?", "25"),
        ("What is the total of the Grants?", "43"),
    ],
)
async def test_a_column_may_be_called_total(question: str, key: str) -> None:
    """DOC-39: the name of a column asks for no sum."""
    desk = Desk()
    table = "State Name,Code,Grants,TOTAL\nOHIO,39,30,50\nIOWA,19,5,25\nUTAH,49,8,20\n"
    await desk.put_file("states.csv", table.encode())
    answer = (await desk.ask(question, mode="agent"))["answer"]
    assert key.casefold() in answer.partition("\n")[0].casefold(), answer


RELEASES = "version,codename,points\n1.4,Amber Ox,120\n2.0,Blue Carp,90\n3.7,Calm Deer,300\n11.4,Dry Eel,80\n"


@pytest.mark.parametrize(
    ("table", "question", "key"),
    [
        (RELEASES, "How many versions have points over 85?", "3 in all"),
        (RELEASES, "What is the codename of version 1.4?", "1 in all: Amber Ox[1]"),
        (RELEASES, "Which version has the most points?", "Calm Deer"),
        (RELEASES, "Which is the highest version?", "Dry Eel"),
        ("Visitors,Hall\n120,North\n90,South\n300,Tower\n", "How many visitors were there?", "510"),
        ("price,product\n10,Soap\n20,Comb\n35,Brush\n", "What is the total price of all products?", "65"),
    ],
)
async def test_a_column_that_numbers_the_rows_adds_up_to_nothing(table: str, question: str, key: str) -> None:
    """DOC-39 DOC-09: versions are counted, not summed, and 1.4 is not 11.4."""
    desk = Desk()
    await desk.put_file("releases.csv", table.encode())
    assert key in (await desk.ask(question, mode="agent"))["answer"].partition("\n")[0]


BRIDGES = "bridge,builder,tolls\nStone Bridge,Ada Holm,40\nIron Bridge,Ben Rask,75\nRope Bridge,Cleo Dane,12\n"


@pytest.mark.parametrize(
    ("question", "is_surer"),
    [
        ("Who is the builder of Iron Bridge?", True),
        ("Which bridge has the highest tolls?", True),
        ("What are the tolls of all bridges in total?", True),
        ("What are the tolls of all wooden bridges in total?", False),
    ],
)
async def test_a_table_is_trusted_by_what_was_understood(question: str, is_surer: bool) -> None:
    """DOC-46: as of networks, a word that the reading of a question leaves out costs confidence."""
    desk = Desk()
    await desk.put_file("bridges.csv", BRIDGES.encode())
    told = await desk.ask(question, mode="agent")
    assert told["status"] == "answer" and (told["confidence"] > 0.9) is told["grade"]["passed"] is is_surer
