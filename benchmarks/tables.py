"""Questions to a folder of related CSV files that is imported as a network without a hand-written schema.

    python -m benchmarks.tables hospital --misses
    python -m benchmarks.tables trading --json tables.json

The mind is the offline one; `table_folders` makes the folder, `table_questions` counts the answers from its rows.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measures import keep
from benchmarks.table_folders import FOLDERS, write_folder
from benchmarks.table_questions import ASKED
from wenmai.agent import Agent, open_agent
from wenmai.knowledge.reading import read_content
from wenmai.stores.networks.local import KnowledgeFolders, import_content


async def measured(domain: str, folder: Path) -> dict[str, Any]:
    """Import a folder of CSV files and ask its questions, each in a session of its own."""
    tables = FOLDERS[domain]()
    content, _ = read_content(write_folder(tables, folder / domain), domain)
    import_content(KnowledgeFolders(folder), content, lambda done, total: None)
    async with open_agent(data_dir=folder, trace_dir=folder / "traces", google_api_key=None) as agent:
        rows = [await judged(agent, domain, question) for question in ASKED[domain](tables)]
    right = sum(row["right"] for row in rows)
    return {
        "domain": domain,
        "questions": len(rows),
        "right": right,
        "p50_s": median(r["s"] for r in rows),
        "rows": rows,
    }


async def judged(agent: Agent, domain: str, question: Any) -> dict[str, Any]:
    """Ask one question and return whether it was answered right."""
    begun = time.perf_counter()
    answer = (await agent.ask(question.text, toolkits=["knowledge"], kn_ids=[domain])).text
    seconds = round(time.perf_counter() - begun, 3)
    return {"question": question.text, "answer": answer, "right": question.is_right(answer), "s": seconds}


def main() -> None:
    """Print the figures, and with `--misses` what was answered wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", choices=FOLDERS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measured(arguments.domain, Path(folder)))
    for row in figures["rows"]:
        if arguments.misses and not row["right"]:
            print(f"{row['question']}\n  → {row['answer']}")
    print(f"{arguments.domain}: {figures['right']} of {figures['questions']}, p50 {figures['p50_s']} s")
    if arguments.json:
        keep(arguments.json, figures)


if __name__ == "__main__":
    main()
