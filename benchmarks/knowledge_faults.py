"""What a keyword gives when a knowledge network's service fails: each trouble through the tool and the real client.

    python -m benchmarks.knowledge_faults [--json FILE] [--markdown docs/reports/knowledge_faults.md]

The contract double of `tests/ontology_service` plays the service in both generations.
"""

import argparse
import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks.measures import machine, timed, write
from benchmarks.report import conditions, table
from tests.ontology_service.conditions import Generation
from tests.ontology_service.faults import Fault, Kind, Route
from tests.ontology_service.server import OntologyServer
from tools.networks.keyword import InstanceSearch, NeighbourSearch, NetworkSessions
from tools.networks.knowledge_network_retrieval import Retrieval, RetrievalRequest
from tools.networks.records import Account
from wenmai.stores.networks.service import KnowledgeService, ServiceEndpoint

CLINIC = Path(__file__).parents[1] / "tests" / "ontology_service" / "data" / "clinic"
NETWORK = "clinic"
GENERATIONS: tuple[Generation, ...] = ("older", "newer")
ROUTES: dict[Route, str] = {"schema": "schema", "instances": "interface 1", "subgraph": "interface 2"}
CALL_S = 1.0  # the product's is 5 s; rows with time-outs would only be longer
SLOW_S = 0.3
EXACT, FUZZY = "肺炎", "上气道梗阻"  # one equal value; one that only the second stage finds
NOT_FOUND = "未找到匹配的实例"
LIN = Account("lin")
HEAD = f"""# Faults of a knowledge network's service

Written by `benchmarks/knowledge_faults.py`; nothing is typed by hand. Every row is one session: the schema step, then
the keyword {EXACT} (whose instance and neighbours exist), or {FUZZY} where the row names a stage, with the real client
against the contract double in both generations; where they differ there are two rows. One request may take {CALL_S:g} s
here (5 in the product), so that rows with time-outs are short.

- **instances, neighbours**: how many the answer holds; without a fault it is the first row.
- **says**: *partial* and *failed* of the answer, or the status of an error.
- **honest**: nothing raised, and nothing that exists was called not found without *partial*, *failed* or an error.
"""


@dataclass(frozen=True)
class Row:
    """One session with a trouble; `dies`: the service is stopped behind the schema step."""

    name: str
    route: Route | None = None
    fault: Fault | None = None
    keyword: str = EXACT
    dies: bool = False


def rows() -> list[Row]:
    """Return every trouble on every interface, once and lasting."""
    made = [Row("none"), Row("none, second stage", keyword=FUZZY)]
    for route, name in ROUTES.items():
        made += [Row(f"{name}: {told}", route, fault) for told, fault in troubles()]
    made += [
        Row("interface 2: 500 for one relation of two", "subgraph", Fault("status", only="has_symptom")),
        Row("interface 2: no answer for one relation of two", "subgraph", Fault("hang", only="has_symptom")),
        Row("interface 1: 500 for the second stage", "instances", Fault("status", only='"like"'), FUZZY),
        Row("interface 1: no answer for the second stage", "instances", Fault("hang", only='"like"'), FUZZY),
        Row("interface 1: 500 for the first stage", "instances", Fault("status", times=1), FUZZY),
        Row("the service dies behind the schema step", dies=True),
    ]
    return made


def troubles() -> list[tuple[str, Fault]]:
    """Return what can go wrong with one interface."""
    kinds: list[tuple[str, Kind]] = [("no answer", "hang"), ("empty body", "empty"), ("HTML of a gateway", "gateway")]
    kinds += [("null objects", "null objects"), ("connection closed", "closed"), ("answer cut in the middle", "cut")]
    once: list[Kind] = ["closed", "cut"]
    return [
        ("slow, within the time-out", Fault("slow", seconds=SLOW_S)),
        *((f"{name}, lasting", Fault(kind)) for name, kind in kinds),
        *((f"{kind}, once", Fault(kind, times=1)) for kind in once),
        *((f"{status}", Fault("status", status=status)) for status in (400, 401, 403, 404, 429, 500, 503)),
    ]


async def played(row: Row, generation: Generation) -> dict[str, Any]:
    """Play one session and return what the caller got."""
    server = OntologyServer.of(CLINIC, generation=generation).start()
    client = KnowledgeService(ServiceEndpoint(server.query_base, server.manager_base))
    retrieval = Retrieval(
        client,
        NetworkSessions(),
        lambda: "s",
        InstanceSearch(client, CALL_S),
        NeighbourSearch(client, CALL_S),
        monotonic,
    )
    if row.route and row.fault:
        server.fault(row.route, Fault(**vars(row.fault)))
    try:
        with timed() as watch:
            said = await session(retrieval, server, row)
    finally:
        await client.close()
        if not row.dies:
            server.stop()
    return {"fault": row.name, **said, "requests": len(server.requests), "seconds": round(watch.seconds, 1)}


async def session(retrieval: Retrieval, server: OntologyServer, row: Row) -> dict[str, Any]:
    """Ask for the schema, then for the keyword; an exception is what must not be."""
    try:
        schema = await retrieval(
            RetrievalRequest(query="肺炎有哪些症状", account=LIN, session_id="s", kn_ids=[NETWORK])
        )
        if not schema.ok:
            return refused(schema.answer)
        if row.dies:
            server.stop()
        reply = await retrieval(
            RetrievalRequest(
                query=row.keyword,
                account=LIN,
                session_id="s",
                kn_ids=[NETWORK],
                enable_keyword_context=True,
                object_type_id="disease",
            )
        )
    except Exception as error:  # noqa: BLE001 - the table is about what escapes
        return {**EMPTY, "says": f"raised {type(error).__name__}", "honest": False}
    return told(reply.answer["keyword_context"]) if reply.ok else refused(reply.answer)


EMPTY = {"instances": 0, "neighbours": 0, "warning": "-"}


def refused(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an error as a row: it says that something failed."""
    return {**EMPTY, "says": f"error {answer['status_code']}", "warning": answer["error"], "honest": True}


def told(context: dict[str, Any]) -> dict[str, Any]:
    """Return a keyword context as a row."""
    says = [name for name in ("partial", "failed") if context[name]]
    count = len(context["instances"])
    neighbours = context["statistics"]["total_neighbors"]
    complete = count > 0 and neighbours > 0
    return {
        "instances": count,
        "neighbours": neighbours,
        "says": ", ".join(says) or "-",
        "warning": "；".join(context["warnings"]) or "-",
        "honest": (bool(says) or complete) and not (says and context["message"] == NOT_FOUND),
    }


async def measured(chosen: Sequence[Row]) -> list[dict[str, Any]]:
    """Play every row in both generations; equal outcomes are one row."""
    found: list[dict[str, Any]] = []
    for row in chosen:
        both = [await played(row, generation) for generation in GENERATIONS]
        keys = [{name: value for name, value in one.items() if name != "seconds"} for one in both]
        if keys[0] == keys[1]:
            found.append({**both[1], "generation": "both"})
        else:
            found += [{**one, "generation": name} for one, name in zip(both, GENERATIONS, strict=True)]
    return found


COLUMNS = ("fault", "generation", "instances", "neighbours", "says", "honest", "warning", "requests", "seconds")


def main() -> None:
    """Play every trouble and write the table; ends with 1 if any answer was not honest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    given = parser.parse_args()
    logging.disable(logging.WARNING)  # every trouble is logged; the table tells them
    before = machine()
    found = asyncio.run(measured(rows()))
    figures = {"machine": before, "after": machine(), "rows": found}
    write(given.json, figures)
    if given.markdown:
        given.markdown.write_text(page(figures), encoding="utf-8")
    raise SystemExit(0 if all(one["honest"] for one in found) else 1)


def page(figures: dict[str, Any]) -> str:
    """Return the page of the table."""
    lines = [[str(one[name]).lower() if name == "honest" else one[name] for name in COLUMNS] for one in figures["rows"]]
    return f"{HEAD}\n{conditions(figures)}\n{table(COLUMNS, lines)}"


if __name__ == "__main__":
    main()
