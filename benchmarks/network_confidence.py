"""How far the confidence of answers from networks is true, and the weights that it is made of.

    python -m benchmarks.network_confidence
    python -m benchmarks.network_confidence --collect FOLDER …

Fits the weights of `wenmai.minds.offline.networks.understanding` to every other question of each source in
`figures/network_confidence.jsonl`, and measures on the others, with the weights in use beside them: AUC, the Brier
score, and that of the share of right ones alone. `--collect` asks the questions anew: those of `table_questions`, as
they are, with words around them that change nothing, and with a condition that their tables do not have, so that no
figure is right; and those of each folder with `sessions.json` and `inputs/` (networks as folders of CSV files; turns of
`q`, `keys`, `not`, `refuse`).
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measures import read_rows
from benchmarks.public.memory_calibration import logistic_weights
from benchmarks.table_folders import FOLDERS, write_folder
from benchmarks.table_questions import ASKED
from tools.language import is_chinese
from training.evaluate import auc
from wenmai.agent import Agent, open_agent
from wenmai.knowledge.reading import read_content
from wenmai.minds.offline.networks import guide
from wenmai.minds.offline.networks.understanding import REFUSAL, WEIGHTS
from wenmai.stores.networks.local import KnowledgeFolders, import_content

ROWS = Path(__file__).parent / "figures" / "network_confidence.jsonl"
FRAMES = ("Please tell me ", "I was wondering, ", "According to our records, ", "For the report: ")
FRAMES_ZH = ("请问一下，", "根据我们的记录，", "麻烦查一下，", "写报告要用：")
OTHERS = ("in the northern branch", "during the night shift", "with gold plating", "near the river", "on weekends")
OTHERS_ZH = ("夜班期间，", "在北方分店，", "只看镀金的，", "河边的", "周末的")
MARKS = re.compile(r"\s?\[\d+\]")
Row = dict[str, Any]


async def collected(folders: Sequence[Path], data: Path) -> list[Row]:
    """Ask the questions of all sources, each in a session of its own."""
    rows: list[Row] = []
    async with open_agent(data_dir=data, trace_dir=data / "traces", google_api_key=None) as agent:
        for name, make in FOLDERS.items():
            bring_in(write_folder(make(), data / "tables" / name), name, data)
            for at, question in enumerate(ASKED[name](make())):
                for text, is_other in worded(question.text, at):
                    row = await asked(agent, name, text)
                    answer, is_given = row.pop("answer"), row["status"] == "answer"
                    is_right = not is_given if is_other else is_given and question.is_right(answer)
                    rows.append(row | {"right": is_right})
        for folder in folders:
            sessions = json.loads((folder / "sessions.json").read_text(encoding="utf-8"))
            for session in sessions:
                if isinstance(network := session["setup"].get("network"), str) and len(session["turns"]) == 1:
                    if not (data / "knowledge" / network).exists():
                        bring_in(folder / "inputs" / network, network, data)
                    turn = session["turns"][0]
                    row = await asked(agent, network, turn["q"])
                    rows.append(row | {"right": answers(turn, row["status"], row.pop("answer"))})
    return rows


def bring_in(folder: Path, network: str, data: Path) -> None:
    content, _ = read_content(folder, network)
    import_content(KnowledgeFolders(data), content, lambda done, total: None)


async def asked(agent: Agent, network: str, question: str) -> Row:
    """Return how a question was answered, with the signs by which its answer is judged."""
    found: list[guide.NetworkReply] = []
    answered = guide.network_answer

    def kept(*given: Any) -> guide.NetworkReply:
        found.append(answered(*given))
        return found[-1]

    setattr(guide, "network_answer", kept)  # noqa: B010 the planner takes it by its name
    try:
        answer = await agent.ask(question, toolkits=["knowledge"], kn_ids=[network])
    finally:
        setattr(guide, "network_answer", answered)  # noqa: B010
    reply = found[-1] if found else None
    kind = "none" if reply is None else "refusal" if not reply.lines else "computed" if reply.is_computed else "row"
    signs = () if reply is None else reply.understood.refusal_signs if kind == "refusal" else reply.understood.signs
    return {
        "source": network,
        "question": question,
        "status": answer.record["status"],
        "answer": MARKS.sub("", answer.text),
        "kind": kind,
        "signs": [round(one, 4) for one in signs],
        "confidence": answer.record["confidence"],
    }


def worded(question: str, at: int) -> Iterator[tuple[str, bool]]:
    """Give a question as it is, in more words, and as another one: with a condition that its tables do not have."""
    yield question, False
    if is_chinese(question):
        yield f"{FRAMES_ZH[at % len(FRAMES_ZH)]}{question}", False
        yield f"{OTHERS_ZH[at % len(OTHERS_ZH)]}{question}", True
    else:
        yield f"{FRAMES[at % len(FRAMES)]}{question[0].lower()}{question[1:]}", False
        yield f"{question.rstrip('?. ')} {OTHERS[at % len(OTHERS)]}?", True


def answers(turn: Row, status: str, answer: str) -> bool:
    if turn.get("refuse"):
        return status == "not_found"
    is_clean = not any(one in answer for one in turn.get("not", ()))
    keys = all(any(one.lower() in answer.lower() for one in forms) for forms in turn["keys"])
    return status == "answer" and is_clean and keys


def halves(rows: Sequence[Row]) -> Iterator[tuple[Row, bool]]:
    """Give each row and whether it is held out: every other one of a source and a kind."""
    seen: dict[tuple[str, str], int] = {}
    for row in rows:
        at = seen[row["source"], row["kind"]] = seen.get((row["source"], row["kind"]), -1) + 1
        yield row, at % 2 == 1


def print_figures(name: str, chances: Sequence[float], labels: Sequence[bool]) -> None:
    truth = np.array(labels, dtype=float)
    brier, base = np.mean((np.array(chances) - truth) ** 2), np.mean((truth.mean() - truth) ** 2)
    pairs = list(zip(chances, labels, strict=True))
    good, bad = [one for one, is_right in pairs if is_right], [one for one, is_right in pairs if not is_right]
    share, area = truth.mean(), auc(good, bad) if good and bad else float("nan")
    print(f"  {name}: {len(labels)}, right {share:.2f}, AUC {area:.2f}, Brier {brier:.3f} ({base:.3f})")


def fit(rows: Sequence[Row]) -> None:
    """Fit on one half and measure on the other."""
    parts = list(halves(rows))
    for kind, weights in (("computed", WEIGHTS), ("refusal", REFUSAL)):
        fitted_on = [row for row, is_held_out in parts if row["kind"] == kind and not is_held_out]
        signs = np.array([row["signs"] for row in fitted_on])
        labels = np.array([row["right"] for row in fitted_on], dtype=float)
        found = logistic_weights(signs, labels, np.ones(len(labels)), ridge=0.1)
        print(f"{kind}: fitted to {len(labels)}: {[round(float(one), 2) for one in found]}; in use: {[*weights]}")
        held = [row for row, is_held_out in parts if row["kind"] == kind and is_held_out]
        for name, some in (("fitted", found), ("in use", np.array(weights))):
            print_figures(
                name, [1 / (1 + np.exp(-np.dot(row["signs"], some))) for row in held], [row["right"] for row in held]
            )
    held = [row for row, is_held_out in parts if is_held_out and row["confidence"] is not None]
    print_figures("all held out, as answered", [row["confidence"] for row in held], [row["right"] for row in held])
    given = [row for row in held if row["status"] == "answer"]
    print_figures("of these the answers", [row["confidence"] for row in given], [row["right"] for row in given])


def main() -> None:
    """Collect the rows if asked to, then fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collect", type=Path, nargs="*", help="folders of sessions")
    given = parser.parse_args()
    if given.collect is not None:
        with tempfile.TemporaryDirectory() as folder:
            rows = asyncio.run(collected(given.collect, Path(folder)))
        ROWS.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    fit(read_rows(ROWS))


if __name__ == "__main__":
    main()
