"""Sessions with networks: whose they are, how long they live, how much they hold (S001-25)."""

import json
from pathlib import Path
from typing import Any

from tests.networks.ports import Scripted, network, relation, text, thing, things
from tests.networks.rig import Hands, NetworkRig, fake_clinic
from tools.language import cost
from tools.networks.context import COMPACT_CHARACTERS, compact, keyword_text
from tools.networks.keyword import MOST_INSTANCES, NetworkSession, NetworkSessions
from tools.networks.knowledge_network_retrieval import NAME, KnowledgeNetworkRetrieval
from tools.networks.records import Account, InstancePage, PathResult
from wenmai.app.container import Services
from wenmai.settings.settings import Settings

NO_SCHEMA = "Schema信息不存在"


async def test_sliding_expiry() -> None:
    """S001-25 S001-08: a session lives 10 minutes from its last use; after that the schema is gone."""
    rig = NetworkRig(fake_clinic())
    await rig.schema()
    for _ in range(3):
        rig.clock.seconds += 599
        assert "keyword_context" in await rig.keyword("肺炎")
    rig.clock.seconds += 600
    assert (await rig.keyword("肺炎"))["error"].startswith(NO_SCHEMA)


async def test_whose_session() -> None:
    """S001-25 S001-D13: to another account, session or network the saved schema is none."""
    port = Scripted({"n": network(things()), "m": network(things(), id="m")})
    two = NetworkRig(port, networks=("n",))
    await two.schema("物件")
    assert (await two.keyword("灯", "thing", kn_ids=["m"]))["error"].startswith(NO_SCHEMA)
    assert "keyword_context" in await two.keyword("灯", "thing", kn_ids=["n"])
    rig = NetworkRig(fake_clinic())
    await rig.schema()
    others: list[dict[str, Any]] = [{"account": Account("mei")}, {"session_id": "s2"}]
    for other in others:
        assert (await rig.keyword("肺炎", **other))["error"].startswith(NO_SCHEMA)
    assert "keyword_context" in await rig.keyword("肺炎")


def test_bounds() -> None:
    """S001-25: 1,000 sessions and 500 instances each; the ones used longest ago go first."""
    sessions = NetworkSessions(Hands())
    for number in range(1_000):
        sessions.open(("lin", str(number), "n"))
    assert sessions.get(("lin", "0", "n")) is not None  # used again: now "1" is the one used longest ago
    sessions.open(("lin", "new", "n"))
    assert len(sessions) == 1_000
    assert sessions.get(("lin", "1", "n")) is None and sessions.get(("lin", "0", "n")) is not None
    session = NetworkSession()
    for number in range(MOST_INSTANCES):
        session.links[("thing", str(number)), "r", "outgoing"] = PathResult()
        session.keep(("thing", str(number)), {})
    session.keep(("thing", "0"), {})
    session.keep(("thing", "new"), {})
    assert len(session.instances) == 500
    assert ("thing", "0") in session.instances and ("thing", "1") not in session.instances
    assert {link[0][1] for link in session.links} == {str(number) for number in range(500)} - {"1"}


def test_expiry_is_configurable(tmp_path: Path) -> None:
    """S001-25: the time is a setting, and holds to the tenth of a second."""
    settings = Settings(data_dir=tmp_path, knowledge_session_s=5.0)
    tool = Services(settings).assembly.tools[NAME]
    assert isinstance(tool, KnowledgeNetworkRetrieval) and tool.retrieval.sessions.expiry_s == 5.0
    clock = Hands()
    sessions = NetworkSessions(clock, expiry_s=5.0)
    sessions.open(("lin", "s", "n"))
    clock.seconds = 4.9
    assert sessions.get(("lin", "s", "n")) is not None
    clock.seconds = 10
    assert sessions.get(("lin", "s", "n")) is None


async def test_the_more_complete_data_are_kept() -> None:
    """S001-24 S001-D07: seen again with less, an instance keeps what was known of it."""
    pages = [thing("a", "灯", seat="港"), thing("a", "灯", seat=None, height=3)]
    rows = iter(pages)
    port = Scripted({"n": network(things())}, rows=lambda _: InstancePage(rows=(next(rows),)))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    await rig.keyword("灯", "thing")
    [again] = (await rig.keyword("灯", "thing"))["keyword_context"]["instances"]
    assert again["properties"] == {"id": "a", "name": "灯", "seat": "港", "height": 3} and not again["is_new"]


async def test_unique_neighbours() -> None:
    """S001-D07: a neighbour is told once for each relation and direction."""
    port = Scripted({"n": network(things(), relations=[relation("a")])})
    port.rows = lambda _: InstancePage(rows=(thing("灯"),))
    port.around = lambda _: PathResult(neighbours=(thing("塔"), thing("塔")))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    [instance] = (await rig.keyword("灯", "thing"))["keyword_context"]["instances"]
    told = [(one["instance_id"], one["relation_direction"]) for one in instance["neighbors"]]
    assert sorted(told) == [("塔", "incoming"), ("塔", "outgoing")]


def test_compact_form() -> None:
    """S001-26 S001-D16: compact drops nulls, at any depth, and cuts values over 200 characters with "..."."""
    long = "长" * 201
    value: dict[str, Any] = {"a": None, "b": [{"c": None, "d": long}], "e": "短" * 200, "f": False, "g": 0, "h": []}
    small = compact(value)
    assert small == {"b": [{"d": "长" * 197 + "..."}], "e": "短" * 200, "f": False, "g": 0, "h": []}
    assert len(small["b"][0]["d"]) == COMPACT_CHARACTERS


async def test_within_the_budget() -> None:
    """S004-25 S001-35: over the budget an answer is still JSON, with shorter values, fewer neighbours, and says so."""
    port = Scripted({"n": network(things(text("id"), text("name"), text("told")), relations=[relation("a")])})
    port.rows = lambda _: InstancePage(rows=tuple(thing(f"灯{n}", "灯", told="很长的话" * 60) for n in range(10)))
    port.around = lambda _: PathResult(neighbours=tuple(thing(f"塔{n}", told="更长的话" * 60) for n in range(10)))
    rig = NetworkRig(port, networks=("n",))
    await rig.schema("物件")
    answer = await rig.keyword("灯", "thing")
    for budget in (8_000, 3_000, 800):
        shown = keyword_text(answer, budget)
        context = json.loads(shown)["keyword_context"]
        assert cost(shown) <= budget and context["truncated"] and context["instances"][0]["instance_name"] == "灯"
