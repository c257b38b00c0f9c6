"""Corrections of an inferred network: its name, keys, and where relations go."""

from pathlib import Path

import pytest

from tests.unit.knowledge.test_inferring import Table, folder, joined
from tools.errors import InputError
from wenmai.knowledge.content import CheckedContent
from wenmai.knowledge.inferring import read_folder
from wenmai.knowledge.reading import Mending, corrected, to_mending

SHIPS: Table = ("ship.csv", ["ship_id", "name", "home"], [(1, "Petrel", "N"), (2, "Heron", "S"), (3, "Tern", "N")])
PORTS: Table = ("port.csv", ["port_id", "letter", "name"], [(1, "N", "Northwick"), (2, "S", "Southwick")])
CALLS: Table = ("calls.csv", ["ship_id", "port_id"], [(1, 1), (1, 2), (3, 2)])


@pytest.fixture
def fleet(tmp_path: Path) -> CheckedContent:
    """Ships whose home no one infers, and the ports at which they call."""
    return read_folder(folder(tmp_path, SHIPS, PORTS, CALLS), "fleet")


def test_a_name_a_key_and_a_relation_are_put_right(fleet: CheckedContent) -> None:
    """The port is known by its letter, to which the home of a ship goes; pairs of a table follow the new key."""
    before = {one.id: one.primary_keys for one in fleet.spec.object_types}
    assert before["port"] == ["port_id"] and "home" not in joined(fleet)
    added = [{"source": "ship", "column": "home", "target": "port"}]
    by = Mending.model_validate({"name": " Fleet ", "keys": {"port": ["letter"]}, "added": added})
    after = corrected(fleet, by)
    assert after.spec.name == "Fleet" and after.spec.object_type("port").primary_keys == ["letter"]
    assert after.links["ship_home"] == [((1,), ("N",)), ((2,), ("S",)), ((3,), ("N",))]
    (joint,) = (one.id for one in fleet.spec.relation_types if one.links)
    assert after.links[joint] == [((1,), ("N",)), ((1,), ("S",)), ((3,), ("S",))]


def test_a_relation_goes_elsewhere_or_away(fleet: CheckedContent) -> None:
    by_column = {one.mapping[0].source: one.id for one in fleet.spec.relation_types if one.source == "call"}
    after = corrected(fleet, Mending(relations={by_column["port_id"]: "ship", by_column["ship_id"]: None}))
    ends = {one.id: one.target for one in after.spec.relation_types}
    assert ends[by_column["port_id"]] == "ship" and by_column["ship_id"] not in ends
    assert {link[1] for link in after.links[by_column["port_id"]]} == {(1,), (2,)}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('{"keys": {"ship": ["home"]}}', "主键重复"),
        ('{"keys": {"boat": ["home"]}}', "没有 boat"),
        ('{"keys": {"ship": ["tons"]}}', "没有属性 tons"),
        ('{"relations": {"owns": null}}', "没有 owns"),
        ('{"added": [{"source": "ship", "column": "home", "target": "call"}]}', "call 没有单独一列的主键"),
        ('{"title": "x"}', "mending 有误"),
        ("[", "mending 有误"),
    ],
)
def test_what_does_not_hold_is_refused(fleet: CheckedContent, given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        corrected(fleet, to_mending(given) or Mending())
