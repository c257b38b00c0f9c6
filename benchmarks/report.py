"""Write docs/reports/benchmarks.md with its pictures from the figures that the other benchmarks left.

python benchmarks/report.py growth.json latency.json ingest.json --folder docs/reports
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # the backend is chosen before

KINDS = ("dense", "sparse", "hybrid")
FILTERS = {
    "none": "no filter",
    "narrow": "chapters + entity, few rows",
    "wide": "chapters + entity, a third of the rows",
}
SYSTEMS = ("wenmai", "qdrant local", "bm25")
HEAD = """# Benchmarks

Every figure is written by `benchmarks/report.py` from a run of the programs beside it; nothing is typed by hand.
`growth.py` uses synthetic clustered vectors, `latency.py` and `ingest.py` a real novel. Peers ran in the same run, up
to 20,000 passages. Times were taken at the load that stands above each table; a quiet machine is faster.

![Growth of the passage store](benchmarks.png)
"""


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def conditions(figures: dict[str, Any]) -> str:
    """Say on what machine, and how busy it was."""
    before, after = figures["machine"], figures["after"]
    return (
        f"{before['cores']} cores, Python {before['python']}, {before['system']}; "
        f"load average {before['load_1min']} before, {after['load_1min']} after.\n"
    )


def growth(runs: Sequence[dict[str, Any]]) -> str:
    """Describe the growth of the store."""
    sizes = merged(runs)
    rows = [
        [f"{size:,}", FILTERS[name], system, *(p50s(kinds)), kinds.get("recall@10", ""), faster(found, name, system)]
        for size, found in sizes
        for name in FILTERS
        for system in SYSTEMS
        if system in found
        for kinds in [found[system][name]]
    ]
    builds = [
        [f"{size:,}", system, f"{one['upsert_s']}", f"{one.get('optimize_s', '')}", *resident(one["memory"])]
        for size, found in sizes
        for system, one in found.items()
        if system in SYSTEMS
    ]
    head = [
        "passages",
        "filter",
        "system",
        "dense p50 / p95 ms",
        "sparse",
        "hybrid",
        "recall@10",
        "times faster, hybrid",
    ]
    return "\n".join(
        [
            "## Growth of the passage store\n",
            *(f"{', '.join(run['sizes'])} passages: {conditions(run)}" for run in runs),
            table(head, rows),
            "Hybrid is the whole search of the tools: dense and BM25, 50 rows each, fused, ten passages fetched and"
            " compared. Recall is that of the dense search against comparing every vector that passes the filter.\n",
            table(["passages", "system", "write s", "index s", "resident MB", "of it anonymous"], builds),
        ]
    )


def merged(runs: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the figures of every size, smallest first."""
    return sorted((int(size), found) for run in runs for size, found in run["sizes"].items())


def p50s(kinds: dict[str, Any]) -> list[str]:
    """Return the cells of the three kinds of query."""
    return [f"{kinds[k]['p50_ms']:.1f} / {kinds[k]['p95_ms']:.1f}" if k in kinds else "" for k in KINDS]


def faster(found: dict[str, Any], name: str, system: str) -> str:
    """Return the cell that compares ours with qdrant-client's local mode."""
    known = system == "wenmai" and "times faster" in found
    return f"{found['times faster'][name]['hybrid']}" if known else ""


def resident(figures: dict[str, float]) -> list[float]:
    """Return the cells of memory."""
    return [figures["rss_mb"], figures["anonymous_mb"]]


def latency(run: dict[str, Any]) -> str:
    """Describe tools, turns and cold starts."""
    held = ", ".join(f"{count:,} {kind}" for kind, count in run["library"].items() if kind != "name")
    rows = [["**warm turn**", *cells(run["turn"])], *([name, *cells(one)] for name, one in run["tools"].items())]
    rows += [[f"new process: `wenmai {name}`", f"{one['p50_ms']:.0f}", "", ""] for name, one in run["cold"].items()]
    memory = run["turn"]["memory"]
    return "\n".join(
        [
            "## Tools and turns\n",
            f"Offline mind, {held}. {conditions(run)}",
            table(["what", "p50 ms", "p95 ms", "embedding's share"], rows),
            f"Resident after {run['turn']['n']} questions: {memory['rss_mb']} MB, {memory['anonymous_mb']} MB of it"
            f" anonymous; first turn of a process {run['turn']['first_turn_ms']:.0f} ms.\n",
        ]
    )


def cells(one: dict[str, Any]) -> list[str]:
    """Return the cells of one tool."""
    return [f"{one['p50_ms']:.1f}", f"{one['p95_ms']:.1f}", f"{one['embedding_share']:.0%}"]


def ingestion(run: dict[str, Any]) -> str:
    """Describe an ingest."""
    ours = run["wenmai"]
    rows = [
        ["all of it", ours["seconds"], ours["passages_per_s"]],
        ["embedding", ours["embedding_s"], round(ours["passages"] / ours["embedding_s"], 2)],
        ["everything else", ours["other_s"], ours["passages_per_s_without_embedding"]],
        ["again, unchanged", ours["unchanged_s"], ""],
        *(
            [
                f"{name}: the same rows, embedded",
                run[name]["seconds"],
                round(ours["passages"] / run[name]["seconds"], 1),
            ]
            for name in SYSTEMS[1:]
        ),
    ]
    peaks = ", ".join(f"{name} {run[name]['memory']['peak_mb']} MB" for name in SYSTEMS)
    return "\n".join(
        [
            "## Ingestion\n",
            f"{', '.join(run['files'])}: {ours['passages']:,} passages. {conditions(run)}",
            table(["step", "seconds", "passages per second"], rows),
            f"Peak memory: {peaks}. The unchanged run wrote {ours['unchanged_writes']} passages.\n",
            engines(run),
        ]
    )


def engines(run: dict[str, Any]) -> str:
    """Describe what the engines of the default embedder take for the same passages."""
    heads = ("engine", "passages", "cpu_s", "all_passages_cpu_s", "query_cpu_ms")
    return table(
        ["engine", "passages", "CPU s", "CPU s for all passages", "CPU ms a query"],
        [[row[name] for name in heads] for row in run["engines"]],
    )


def embedders(run: dict[str, Any]) -> str:
    """Describe what embedders cost and find."""
    figures = ("passages per CPU second", "CPU ms a query", "recall@10 dense", "recall@10 fused")
    rows = [[row["embedder"], row["passages"], *(f"{row[name]:.3g}" for name in figures)] for row in run["rows"]]
    return "\n".join(
        [
            "## Embedders\n",
            f"Recall@10 of BM25 alone: {run['rows'][0]['recall@10 bm25']:.2f}. {conditions(run)}",
            table(["embedder", "vectors of the passages", *figures], rows),
        ]
    )


def startup(run: dict[str, Any]) -> str:
    """Describe what commands cost before they do anything."""
    names = list(next(iter(run["commands"].values())))
    heads = [f"{name}, {unit}" for name in names for unit in ("CPU s", "peak MB")]
    rows = [
        [command, *(cell for name in names for cell in (f"{by[name]['cpu_s']:.2f}", f"{by[name]['peak_mb']:.0f}"))]
        for command, by in run["commands"].items()
    ]
    return "\n".join(
        ["## Start-up\n", f"Medians of {run['runs']} processes. {conditions(run)}", table(["command", *heads], rows)]
    )


def overhead(run: dict[str, Any]) -> str:
    """Describe what the graph costs beside LangChain's."""
    sides = ("wenmai", "create_agent", "client alone")
    rows = [[name, *(run[name][column] for column in ("p50_ms", "p95_ms", "processor_p50_ms"))] for name in sides]
    return "\n".join(
        [
            "## Overhead of the graph\n",
            f"A turn of {run['calls_a_turn']:g} model calls (two tool calls, draft, grade) on the loopback Gemini,"
            f" stores in memory; {run['wenmai']['n']} turns of each, alternating. {conditions(run)}",
            table(["what", "p50 ms", "p95 ms", "p50 ms of the processor"], rows),
            f"Wenmai takes {run['ratio']} times as long as LangChain's `create_agent` ({run['processor_ratio']} of the"
            f" processor); at most {run['most']} is wanted.\n",
        ]
    )


def memories(runs: Sequence[dict[str, Any]]) -> str:
    """Describe the recall of memories on histories of talks."""
    rows = []
    for run in runs:
        systems = {"wenmai": run, **run["peers"]}
        rows += [
            [language(run), run["turns"], run["questions"], name, one["recall_at_10"]["all"], several(one)]
            for name, one in systems.items()
        ]
    head = ["language", "turns", "questions", "system", "recall@10", "several turns"]
    said = (
        "`memory.py` on talks of two people over a year and more; the weights were chosen on other talks, the cut-off"
        " was checked on these as well. wenmai: the memories that the tool recall_memories gives the agent,"
        " with the offline mind; search_memories: its search alone.\n"
    )
    return "\n".join(["## Recall of memories\n", said, table(head, rows)])


def language(run: dict[str, Any]) -> str:
    """Return the language of a run's questions."""
    return "Chinese" if run["cosines"]["zh"]["evidence_median"] is not None else "English"


def several(one: dict[str, Any]) -> float:
    """Return the recall on questions that several turns answer."""
    return float(one["recall_at_10"]["several_turns"])


def follow_ups(runs: Sequence[dict[str, Any]]) -> str:
    """Describe follow-up questions to knowledge networks."""
    rows = []
    for run in runs:
        systems = {"wenmai": run, **run["peers"]}
        where = [run["domain"], run["dialogues"], run["questions"]]
        rows += [[*where, name, one["triple_at_10"], one["entity_first"]] for name, one in systems.items()]
    head = ["domain", "dialogues", "questions", "system", "triple@10", "entity first"]
    said = (
        "`knowledge.py` on KdConv's dialogues, questions that leave the entity out; each dialogue is one thread of the"
        " agent with the offline mind, and what was really replied stands in it. The weights were chosen on the"
        " dialogues of even place, these are those of odd place. triple@10: a gold triple is among the first ten pieces"
        " of evidence; entity first: the first piece is of the right entity.\n"
    )
    return "\n".join(["## Follow-up questions to knowledge networks\n", said, table(head, rows)])


def documents(runs: Sequence[dict[str, Any]]) -> str:
    """Describe the search of documents."""
    rows = []
    for run in runs:
        systems = {"wenmai": run, **run["peers"]}
        asked = f"{run['questions']:,}" + (f", 1 of {run['every']}" if run["every"] > 1 else "")
        where = [run["set"], f"{run['passages']:,}", asked]
        rows += [[*where, name, one["recall_at_1"], one["recall_at_5"]] for name, one in systems.items()]
    said = (
        "`documents.py` through the whole agent in rag mode with the offline mind, on paragraphs without their titles;"
        " bm25 and dense: plain BM25, and the default embedding's cosine alone. The weights were set by hand on these"
        " questions too.\n"
    )
    head = ["set", "passages", "questions", "system", "recall@1", "recall@5"]
    return "\n".join(["## Search of documents\n", said, table(head, rows)])


def book_growth(run: dict[str, Any]) -> str:
    """Describe how a library grows with the chapters of its book."""
    head = ["chapters", "passages", "ingest s", "of the processor", "again s", "disk MB"]
    head += ["question p50 / p95 s", "first of a process s", "resident MB"]
    names = ("chapters", "passages", "ingest_s", "ingest_cpu_s", "again_s", "disk_mb")
    rows = [
        [
            *(f"{one[name]:,}" for name in names),
            f"{one['turn']['p50_ms'] / 1e3:.2f} / {one['turn']['p95_ms'] / 1e3:.2f}",
            f"{one['turn']['first_turn_ms'] / 1e3:.2f}",
            f"{one['turn']['memory']['rss_mb']:.0f}",
        ]
        for one in run["rows"]
    ]
    return "\n".join(
        [
            "## A book of 10, 100 and 1,000 chapters\n",
            f"`book_growth.py`: chapters of {run['characters']} characters, the offline mind; no question comes twice,"
            f" {run['rows'][0]['turn']['n']} of them count. {conditions(run)}",
            "![Growth with chapters](chapters.png)\n",
            table(head, rows),
        ]
    )


def plot_chapters(run: dict[str, Any], path: Path) -> None:
    """Draw what grows with the chapters of a book."""
    sizes = [one["chapters"] for one in run["rows"]]
    lines = {
        "ingest, s of the processor": [one["ingest_cpu_s"] for one in run["rows"]],
        "question, p50 s": [one["turn"]["p50_ms"] / 1e3 for one in run["rows"]],
        "disk, MB": [one["disk_mb"] for one in run["rows"]],
        "memory, MB": [one["turn"]["memory"]["rss_mb"] for one in run["rows"]],
    }
    figure, panels = pyplot.subplots(1, len(lines), figsize=(13, 3.5))
    for panel, (title, values) in zip(panels, lines.items(), strict=True):
        panel.plot(sizes, values, marker="o")
        panel.set(title=title, xlabel="chapters", xscale="log", ylim=(0, None))
        panel.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def servers(run: dict[str, Any]) -> str:
    """Describe the store of passages on a server beside the embedded one."""
    rows = [
        [FILTERS[name], engine, *p50s(speed[name]), speed[name]["recall@10"]]
        for name in FILTERS
        for engine, speed in run["speed"].items()
    ]
    written = ", ".join(f"{engine} {speed['upsert_s']} s" for engine, speed in run["speed"].items())
    return "\n".join(
        [
            "## The store on a server\n",
            f"`postgres.py`: {run['passages']:,} synthetic passages, PostgreSQL with pgvector beside it. Written"
            f" in: {written}. {conditions(run)}",
            table(["filter", "engine", "dense p50 / p95 ms", "sparse", "hybrid", "recall@10"], rows),
            "Answers on Neo4j and Qdrant are the same as on the embedded engines"
            " ([servers](../guide/servers.md), `servers.py`).\n",
        ]
    )


def plot(runs: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the hybrid query's p50 over the size, for every filter and system."""
    figure, panels = pyplot.subplots(1, len(FILTERS), figsize=(13, 4), sharey=True)
    for panel, (name, title) in zip(panels, FILTERS.items(), strict=True):
        for system in SYSTEMS:
            kind = "sparse" if system == "bm25" else "hybrid"
            points = [(size, found[system][name][kind]["p50_ms"]) for size, found in merged(runs) if system in found]
            panel.plot(*zip(*points, strict=True), marker="o", label=f"{system}, {kind}")
        panel.axhline(15, color="grey", linestyle=":", linewidth=1)
        panel.set(title=title, xlabel="passages", xscale="log", yscale="log")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("p50 of a query, ms")
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


SECTIONS = {
    "latency": latency,
    "ingest": ingestion,
    "embedders": embedders,
    "startup": startup,
    "overhead": overhead,
    "book_growth": book_growth,
    "postgres": servers,
}


def main() -> None:
    """Write the page and the plot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("figures", type=Path, nargs="+", help="what --json of the benchmarks wrote")
    parser.add_argument("--folder", type=Path, default=Path("docs/reports"))
    arguments = parser.parse_args()
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.figures]
    sizes = [run for run in runs if run["benchmark"] == "growth"]
    parts = [HEAD, *([growth(sizes)] if sizes else [])]
    parts += [SECTIONS[run["benchmark"]](run) for run in runs if run["benchmark"] in SECTIONS]
    recalls = [run for run in runs if run["benchmark"] == "memory" and "recall_at_10" in run]
    parts += [memories(recalls)] if recalls else []
    talks = [run for run in runs if run["benchmark"] == "knowledge"]
    parts += [follow_ups(talks)] if talks else []
    papers = [run for run in runs if run["benchmark"] == "documents"]
    parts += [documents(papers)] if papers else []
    (arguments.folder / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")
    if sizes:
        plot(sizes, arguments.folder / "benchmarks.png")
    for run in runs:
        if run["benchmark"] == "book_growth":
            plot_chapters(run, arguments.folder / "chapters.png")


if __name__ == "__main__":
    main()
