"""A made-up network of 9,000 instances with 250,000 relations: how long it takes to import, and to ask by keywords.

python -m benchmarks.knowledge_scale [--instances 9000] [--relations 250000] [--json FILE]

Each keyword is asked in a session of its own, so that nothing comes from the session's cache: exact names, names with a
character left out or put in, values that many instances share, and words that stand nowhere.
"""

import argparse
import asyncio
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks.measures import latencies, machine, memory, quantiles, timed, write
from tools.networks.keyword import InstanceSearch, NeighbourSearch, NetworkSessions
from tools.networks.knowledge_network_retrieval import Retrieval, RetrievalRequest
from tools.networks.records import Account
from wenmai.knowledge.content import Key, Link, NetworkSpec, Row, ordered_content, to_spec
from wenmai.knowledge.files import network_files, read_network, write_files
from wenmai.stores.networks.local import LocalKnowledge, import_content

NETWORK = "made-up"
LIN = Account("lin")
KINDS = ("disease", "symptom", "drug", "check", "food", "department")
WEIGHTS = (30, 25, 20, 10, 10, 5)  # percent of the instances
RELATIONS = (
    ("has_symptom", "症状", "disease", "symptom"),
    ("treated_by", "用药", "disease", "drug"),
    ("needs_check", "检查", "disease", "check"),
    ("belongs_to", "科室", "disease", "department"),
    ("goes_with", "并发症", "disease", "disease"),
    ("eats", "宜吃", "disease", "food"),
    ("relieves", "缓解", "drug", "symptom"),
    ("near", "相近", "symptom", "symptom"),
)
SIGNS = "上下左右前后内外急慢性肺心肝肾胃肠脑骨皮血气道管炎症瘤病痛热咳喘胀麻肿裂梗阻感染损伤缺乏增生综合征素片胶囊颗粒"
LEVELS = ("轻", "中", "重")
Made = tuple[NetworkSpec, dict[str, list[Row]], dict[str, list[Link]]]
PER_KIND = 60  # keywords of each kind


def made_up(instances: int, relations: int, seed: int = 7) -> Made:
    """Return a network of unequal types, whose names share characters; a few instances have many relations."""
    chance = random.Random(seed)
    spec = to_spec(
        {"id": NETWORK, "name": "合成", "object_types": types(), "relation_types": relation_types()}, "made up"
    )
    counts = {kind: instances * weight // 100 for kind, weight in zip(KINDS, WEIGHTS, strict=True)}
    rows = {kind: [row(chance, kind, n) for n in range(count)] for kind, count in counts.items()}
    links: dict[str, list[Link]] = {}
    for id, _, source, target in RELATIONS:
        joined: set[Link] = set()
        while len(joined) < relations // len(RELATIONS):
            joined.add((key(chance, source, counts[source]), key(chance, target, counts[target])))
        links[id] = sorted(joined)
    return spec, rows, links


def types() -> list[dict[str, Any]]:
    """Return the object types: ten properties each."""
    names = [
        ("id", "编号"),
        ("name", "名称"),
        ("alias", "别名"),
        ("level", "程度"),
        ("group", "分组"),
        ("code", "编码"),
    ]
    plain = [{"name": name, "display_name": shown, "fulltext": name == "name"} for name, shown in names]
    others = [
        {"name": "note", "type": "text"},
        {"name": "price", "type": "integer"},
        {"name": "place"},
        {"name": "source"},
    ]
    common = {"primary_keys": ["id"], "display_key": "name", "properties": plain + others}
    return [{"id": kind, "name": kind, "instances": f"{kind}.jsonl", **common} for kind in KINDS]


def relation_types() -> list[dict[str, Any]]:
    """Return the relation types."""
    return [
        {"id": id, "name": name, "source": source, "target": target, "links": f"{id}.jsonl"}
        for id, name, source, target in RELATIONS
    ]


def row(chance: random.Random, kind: str, n: int) -> Row:
    """Return an instance."""
    return {
        "id": f"{kind}_{n:06}",
        "name": f"{signs(chance, 6)}{n % 97}",
        "alias": signs(chance, 4),
        "level": chance.choice(LEVELS),
        "group": f"第{n % 200}组",
        "code": f"{kind[0].upper()}{n:05}",
        "note": "，".join(signs(chance, 12) for _ in range(8)),
        "price": n % 1000,
        "place": signs(chance, 3),
        "source": f"来源{n % 13}",
    }


def signs(chance: random.Random, count: int) -> str:
    """Return a word of so many characters."""
    return "".join(chance.choice(SIGNS) for _ in range(count))


def key(chance: random.Random, kind: str, count: int) -> Key:
    """Return the key of an instance; those with low numbers have more relations."""
    return (f"{kind}_{int(count * chance.random() ** 2):06}",)


def keywords(rows: dict[str, list[Row]], seed: int = 11) -> dict[str, list[tuple[str, str]]]:
    """Return keywords with their object types, by what they are."""
    chance = random.Random(seed)
    chosen = [(kind, chance.choice(rows[kind])) for kind in chance.choices(KINDS, WEIGHTS, k=PER_KIND)]
    return {
        "exact": [(one["name"], kind) for kind, one in chosen],
        "left_out": [(one["name"][:2] + one["name"][3:], kind) for kind, one in chosen],
        "put_in": [(f"{one['name'][:3]}、{one['name'][3:]}", kind) for kind, one in chosen],
        "shared": [(one["group"], kind) for kind, one in chosen],
        "nowhere": [(f"龘靐齉{n}爩鱻", kind) for n, (kind, _) in enumerate(chosen)],
    }


async def asked(retrieval: Retrieval, words: Sequence[tuple[str, str]], found: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask each keyword in a session that has the schema, and return the times of the keyword steps alone."""
    calls: list[Callable[[], Any]] = []
    for n, (word, kind) in enumerate(words):
        session = f"{word}-{n}"
        await retrieval(
            RetrievalRequest(query=f"{word}有哪些症状、用药和检查", account=LIN, session_id=session, kn_ids=[NETWORK])
        )
        request = RetrievalRequest(
            query=word,
            account=LIN,
            session_id=session,
            kn_ids=[NETWORK],
            enable_keyword_context=True,
            object_type_id=kind,
        )

        async def call(request: RetrievalRequest = request) -> None:
            found.append((await retrieval(request)).answer["keyword_context"])

        calls.append(call)
    return quantiles(await latencies(calls))


async def measured(folder: Path, instances: int, relations: int) -> dict[str, Any]:
    """Write the network to files, import them, import them again, and ask."""
    spec, rows, links = made_up(instances, relations)
    files, local = folder / "files", LocalKnowledge(folder / "data")
    write_files(network_files(ordered_content(spec, rows, links)), files)
    figures: dict[str, Any] = {}
    for name in ("import_s", "import_again_s"):
        with timed() as watch:
            report = import_content(local.folders, read_network(files, None), lambda done, total: None)
        figures[name] = round(watch.seconds, 1)
        figures[f"{name.removesuffix('_s')}_written"] = report.written
    size = sum(one.stat().st_size for one in (folder / "data").rglob("*") if one.is_file())
    retrieval = Retrieval(
        local, NetworkSessions(), lambda: "s", InstanceSearch(local), NeighbourSearch(local), monotonic
    )
    everything: list[dict[str, Any]] = []
    kinds: dict[str, Any] = {}
    with timed() as opening:
        await local.schema(NETWORK, LIN, timeout_s=30)
    for name, words in keywords(rows).items():
        found: list[dict[str, Any]] = []
        kinds[name] = {**await asked(retrieval, words, found), **what(found, words)}
        everything += found
    await local.close()
    return {
        **report.counts,
        **figures,
        "disk_mb": round(size / 2**20, 1),
        "open_ms": round(opening.seconds * 1e3, 1),
        "keyword_context": kinds,
    }


def what(found: Sequence[dict[str, Any]], words: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return how many keywords found something, and how much."""
    count = len(words)
    return {
        "found": round(sum(bool(one["instances"]) for one in found) / count, 2),
        "instances": round(sum(len(one["instances"]) for one in found) / count, 1),
        "neighbours": round(sum(one["statistics"]["total_neighbors"] for one in found) / count, 1),
        "warnings": sum(len(one["warnings"]) for one in found),
    }


def main() -> None:
    """Measure and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=9_000)
    parser.add_argument("--relations", type=int, default=250_000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measured(Path(folder), given.instances, given.relations))
    write(given.json, {"machine": machine(), **figures, "memory": memory()})


if __name__ == "__main__":
    main()
