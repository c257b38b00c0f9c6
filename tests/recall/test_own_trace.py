"""The trace of a recall that no question asked for."""

import json
from typing import Any

from tests.graph.rig import Rig, Traces
from tests.recall.rig import RecallRig, ScriptedRecaller, handoff, search
from tests.recall.test_search import Failing
from tools.errors import StoreUnavailable
from wenmai.application.traces import NEEDED
from wenmai.cli.output.answers import timeline


def traced(rig: RecallRig, *turns: Any) -> RecallRig:
    """Return a recall of its own on the same store, which plays these turns."""
    return RecallRig(rig.store, recaller=ScriptedRecaller(turns), traces=Traces())


def record_of(rig: RecallRig) -> dict[str, Any]:
    """Return the one trace, as a file would give it back."""
    assert rig.traces is not None
    (record,) = rig.traces.records
    known: dict[str, Any] = json.loads(json.dumps(record))
    return known


async def test_a_recall_of_its_own(rig: RecallRig) -> None:
    """MEM-02 S003-25 S003-12: query, user, model, every call with its output, what was handed off; shown by lines."""
    await rig.add("db", "数据库端口 5433", keywords=["数据库"])
    own = traced(rig, search("数据库"), handoff("端口是 5433", relevant_memory_keys=["db"]))
    recalled = (await own.ask("我之前的数据库配置")).record
    record = record_of(own)
    assert record["query"] == "我之前的数据库配置" and record["user_id"] == "甲" and record["status"] == "finished"
    assert record["recalled"] == recalled and record["final_response"] == recalled["message"]
    assert [(one["tool"], one["ok"], one["items"]) for one in record["tool_calls"]] == [
        ("search_memories", True, 1),
        ("handoff", True, 0),
    ]
    assert json.loads(record["tool_calls"][0]["result"])["results"][0]["memory_key"] == "db"
    assert set(NEEDED) <= record.keys() and record["passed"] is None
    shown = [line.text for line in timeline(record)]
    assert "回忆（用户 甲）：我之前的数据库配置" in shown and any("search_memories(" in line for line in shown)


async def test_failures_are_traced(rig: RecallRig) -> None:
    """MEM-02 S003-12: a recall without a user, and one on a dead store, leave a trace that says so."""
    nobody = traced(rig)
    await nobody.ask(user=None)
    record = record_of(nobody)
    assert record["status"] == "failed" and record["tool_calls"] == [] and record["user_id"] is None
    assert record["recalled"]["error_code"] == "permission_denied" and list(timeline(record))
    broken: Any = Failing(rig.store, [StoreUnavailable("磁盘坏了")] * 9)
    dead = RecallRig(broken, mind=Rig().parts().mind, traces=Traces())
    await dead.ask("数据库")
    assert record_of(dead)["recalled"]["error_code"] == "database_error"


async def test_a_disk_that_refuses(rig: RecallRig) -> None:
    """S003-12: the recall never depends on its trace."""
    await rig.add("db", "数据库端口 5433", keywords=["数据库"])
    own = RecallRig(rig.store, mind=Rig().parts().mind, traces=Traces(path=None))
    assert (await own.ask("数据库")).record["action"] == "RECALL_SUCCESS"
