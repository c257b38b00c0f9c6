"""The rows of a network by type, one row with what it is tied to, labels that are mended, and how a row is cited."""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from typing import Literal

import pytest

from tests.networks.harbor import agent, folder, said
from tests.networks.rig import CLINIC, DATA
from tests.ontology_service.server import OntologyServer
from tools.errors import InputError
from tools.networks.records import ObjectType, Property
from wenmai.app.container import Services
from wenmai.application.networks import LONGEST_ID, MOST_CUTS, MOST_KEYS, NetworkOperations, keys_from
from wenmai.application.operations import Application
from wenmai.inputs import FieldError, NotFound
from wenmai.knowledge.reading import Mending
from wenmai.settings.settings import validate_config

__all__ = ["agent", "folder"]


@pytest.fixture
async def networks(folder: Path) -> AsyncIterator[NetworkOperations]:
    services = Services(validate_config(data_dir=folder, google_api_key=None))
    yield Application(services).networks
    await services.close()


async def test_rows_of_a_type_are_searched_sorted_and_paged(
    networks: NetworkOperations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KNO-101: in the order of a property, numbers as numbers; what contains a text, or is a number."""
    found = await networks.rows("harbor", "ship", sort="tonnage", descending=True, limit=3)
    values = [one.properties["tonnage"] for one in found.items]
    assert values == sorted(values, reverse=True) and (len(values), found.next) == (3, 3) and found.total > 3
    rest = await networks.rows("harbor", "ship", sort="tonnage", descending=True, offset=3)
    assert len(rest.items) == found.total - 3 and rest.next is None
    assert max(one.properties["tonnage"] for one in rest.items) <= values[-1]
    (lark,) = (await networks.rows("harbor", "ship", query="云雀")).items
    assert (lark.id, lark.name, lark.type) == ("s01", "云雀号", "ship")
    assert {one.properties["tonnage"] for one in (await networks.rows("harbor", "ship", query="180")).items} == {180}
    assert (await networks.rows("harbor", "ship", query="没有这艘船")).items == []
    monkeypatch.setattr("wenmai.application.networks.MOST_INSTANCES", 2)  # of one query
    assert await networks.rows("harbor", "ship", sort="tonnage", descending=True, offset=3) == rest
    assert await networks.rows("harbor", "ship", sort="tonnage", descending=True, limit=3) == found
    with pytest.raises(FieldError, match="tonnage"):
        await networks.rows("harbor", "ship", sort="weight")
    with pytest.raises(NotFound):
        await networks.rows("harbor", "planet")


async def test_a_row_with_what_it_is_tied_to(networks: NetworkOperations) -> None:
    """KNO-102: by its key, also where its type is not known; neighbours by name, each with its relation."""
    seen = await networks.row("harbor", "s01")
    assert (seen.instance.type, seen.instance.name) == ("ship", "云雀号")
    assert "outgoing" in {one.direction for one in seen.neighbours}
    assert all(one.instance.name and one.instance.name != one.instance.id for one in seen.neighbours)
    other = next(one.instance for one in seen.neighbours)
    back = await networks.row("harbor", other.id, type=other.type)
    assert "s01" in {one.instance.id for one in back.neighbours}
    for id, type in (("nothing", None), ("s01", "person"), ("s01", "planet")):
        with pytest.raises(NotFound):
            await networks.row("harbor", id, type=type)


async def test_what_a_row_holds_the_key_of_has_a_name(folder: Path, tmp_path: Path) -> None:
    """KNO-101 KNO-102: beside the key; a key of no row has none."""
    tables = {
        "bakery": "bakery_id,name,street,owner\n1,Rye & Co,s1,7\n2,Crust,s2,8\n3,Loaf,s1,\n",
        "street": "street_id,name\ns1,Mill Lane\ns2,Quay\n",
        "owner": "owner_id,name\n7,Ada\n8,Bo\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    services = Services(validate_config(data_dir=folder, google_api_key=None))
    networks = Application(services).networks
    await networks.load(tmp_path, network="bakeries")
    rows = (await networks.rows("bakeries", "bakery")).items
    assert [(one.name, one.ends) for one in rows] == [
        ("Rye & Co", {"street": "Mill Lane", "owner": "Ada"}),
        ("Crust", {"street": "Quay", "owner": "Bo"}),
        ("Loaf", {"street": "Mill Lane"}),
    ]
    seen = await networks.row("bakeries", "2", type="bakery")
    assert seen.instance.ends == {"street": "Quay", "owner": "Bo"}
    await networks.delete("bakeries")
    await services.close()


async def test_names_of_two_relations_with_one_property(folder: Path, tmp_path: Path) -> None:
    """KNO-101: the first one's row counts, else the other's; an empty value is no key, whatever a row is called."""
    kinds = {"bakery": ["bakery_id", "name", "place"], "street": ["street_id", "name"], "square": ["square_id", "name"]}
    schema = {
        "id": "places",
        "object_types": [
            {
                "id": kind,
                "name": kind,
                "primary_keys": columns[:1],
                "display_key": "name",
                "instances": f"{kind}.csv",
                "properties": [{"name": column} for column in columns],
            }
            for kind, columns in kinds.items()
        ],
        "relation_types": [
            {"id": at, "name": at, "source": "bakery", "target": at, "mapping": [{"source": "place", "target": key}]}
            for at, key in (("street", "street_id"), ("square", "square_id"))
        ],
    }
    tables = {
        "bakery": "1,Rye & Co,p1\n2,Crust,p2\n3,Loaf,None\n4,Crumb,\n",
        "street": "p1,Mill Lane\nNone,Nameless Road\n",
        "square": "p1,Corn Market\np2,Fish Market\n",
    }
    (tmp_path / "network.yaml").write_text(json.dumps(schema), encoding="utf-8")
    for kind, text in tables.items():
        (tmp_path / f"{kind}.csv").write_text(f"{','.join(kinds[kind])}\n{text}", encoding="utf-8")
    services = Services(validate_config(data_dir=folder, google_api_key=None))
    networks = Application(services).networks
    await networks.load(tmp_path)
    assert [one.ends.get("place") for one in (await networks.rows("places", "bakery")).items] == [
        "Mill Lane",
        "Fish Market",
        "Nameless Road",
        None,
    ]
    await networks.delete("places")
    await services.close()


def test_an_id_is_taken_apart_into_the_keys_that_it_may_join() -> None:
    """KNO-102: of several keys each may hold what joins them; a number is a number."""
    kind = ObjectType(
        id="t", name="t", primary_keys=("a", "b"), properties=(Property(name="a"), Property(name="b", type="integer"))
    )
    assert [*keys_from("x_y_3", kind)] == [{"a": "x_y", "b": 3}]
    assert [*keys_from("x", kind)] == [] and [*keys_from("x", ObjectType(id="t", name="t"))] == []


async def test_an_id_of_many_parts_asks_little(networks: NetworkOperations, monkeypatch: pytest.MonkeyPatch) -> None:
    """KNO-102: an id has a greatest length, and not every way to take it apart is tried."""
    kind = ObjectType(id="t", name="t", primary_keys=("a", "b", "c"))
    assert len([*keys_from("_" * LONGEST_ID, kind)]) == MOST_CUTS
    asked = list[dict[str, str]]()

    def keys(id: str, kind: ObjectType) -> Iterator[dict[str, str]]:
        for number in count():
            asked.append({kind.primary_keys[0]: f"{id} {number}"})
            yield asked[-1]

    monkeypatch.setattr("wenmai.application.networks.keys_from", keys)
    with pytest.raises(NotFound):
        await networks.row("harbor", "_" * LONGEST_ID, type="ship")
    assert len(asked) == MOST_KEYS
    with pytest.raises(FieldError, match=r"^id"):
        await networks.row("harbor", "_" * (LONGEST_ID + 1))


@pytest.mark.parametrize("generation", ["older", "newer"])
async def test_rows_of_a_service(tmp_path: Path, generation: Literal["older", "newer"]) -> None:
    """KNO-101 KNO-102: a service of either generation is asked the same."""
    with OntologyServer.of(DATA / CLINIC, generation=generation) as server:
        bases = {
            "knowledge_network_query_api_base": server.query_base,
            "knowledge_network_api_base": server.manager_base,
        }
        services = Services(validate_config(data_dir=tmp_path, google_api_key=None, **bases))
        app = Application(services).networks
        found = await app.rows(CLINIC, "disease", limit=5)
        assert found.items and found.total >= len(found.items)
        seen = await app.row(CLINIC, found.items[0].id, type="disease")
        assert seen.instance.name == found.items[0].name
        await services.close()


async def test_labels_of_types_columns_and_relations_are_mended(networks: NetworkOperations, tmp_path: Path) -> None:
    """KNO-103: also of a relation that is added; what is not there is refused by name."""
    made = tmp_path / "shop"
    made.mkdir()
    (made / "goods.csv").write_text("id,nm,maker\n1,Lamp,7\n2,Chair,7\n", encoding="utf-8")
    (made / "makers.csv").write_text("id,nm\n7,Ruth\n8,Ned\n", encoding="utf-8")
    plain = await networks.preview(made, network="shop")
    ids = {one.id for one in plain.object_types}
    assert ids == {"good", "maker"}
    joined = next((one for one in plain.relation_types if one.source == "good"), None)
    mending = Mending.model_validate(
        {
            "types": {"good": "货品"},
            "labels": {"good": {"nm": "名称", "maker": "制造者"}},
            "added": [] if joined else [{"source": "good", "column": "maker", "target": "maker"}],
            "names": {joined.id if joined else "good_maker": "由谁制造"},
        }
    )
    mended = await networks.preview(made, network="shop", mending=mending)
    goods = next(one for one in mended.object_types if one.id == "good")
    assert (goods.name, {one.name: one.display_name for one in goods.properties}["nm"]) == ("货品", "名称")
    assert "由谁制造" in {one.name for one in mended.relation_types}
    for wrong in ({"types": {"planet": "x"}}, {"labels": {"good": {"weight": "x"}}}, {"names": {"planet": "x"}}):
        with pytest.raises(InputError, match=r"planet|weight"):
            await networks.preview(made, network="shop", mending=Mending.model_validate(wrong))


async def test_a_row_is_cited_by_its_name(agent: object, networks: NetworkOperations) -> None:
    """KNO-104: the label of a citation has name and column, no key; its source still finds the row."""
    record = await said(agent, "云雀号的载重是多少？")  # type: ignore[arg-type]  # the fixture's
    (cited,) = [one for one in record["citations"] if "180" in one["quote"]]
    assert (cited["label"], cited["title"], cited["source"]) == ("云雀号 · 载重", "云雀号", "s01")
    assert (await networks.row("harbor", cited["source"])).instance.name == "云雀号"
