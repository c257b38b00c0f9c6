"""Memorybank's talks and probing questions with evidence by hand, as files for `memory.py` and its calibration.

    python benchmarks/public/memorybank.py ../shared/data/memorybank en FOLDER [--noise texts.txt]

Writes FOLDER/turns.jsonl and FOLDER/questions.jsonl. The evidence (`questions/memorybank.json`) lists, for each user
and question, turns as `MM-DD.N` of the N-th exchange of a day with q for the user's turn and r for the reply; it was
read out of the English talks, which the Chinese ones follow. Texts of other talks, one a line, make each talk longer.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

GOLD = Path(__file__).parents[1] / "questions" / "memorybank.json"
PARTS = (("q", "query"), ("r", "response"))
NOISE_DAYS = 10


def turns(dialogue: str, person: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the turns of a user's talk."""
    for day, exchanges in person["history"].items():
        for number, exchange in enumerate(exchanges):
            for at, (side, part) in enumerate(PARTS):
                moment = datetime.fromisoformat(f"{day}T10:00+00:00") + timedelta(minutes=4 * number + at)
                speaker = "AI" if at else person["name"].strip()
                yield row(dialogue, f"{day[5:]}.{number}{side}", speaker, exchange[part].strip(), moment)


def noise(dialogue: str, texts: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield turns of other talks, each a conversation of its own."""
    begun = datetime.fromisoformat("2023-04-27T20:00+00:00")
    for number, text in enumerate(texts):
        yield row(
            dialogue, f"n{number}", "", text, begun + timedelta(days=number % NOISE_DAYS, hours=-7 * (number % 2))
        )


def row(dialogue: str, id: str, speaker: str, text: str, moment: datetime) -> dict[str, str]:
    """Return a turn as `memory.py` reads it."""
    return {"dialogue": dialogue, "id": id, "speaker": speaker, "text": text, "time": moment.isoformat()}


def written(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows that have a text as JSON lines."""
    kept = (json.dumps(one, ensure_ascii=False) for one in rows if one.get("text", "-"))
    path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("bank", type=Path)
    parser.add_argument("language", choices=("en", "cn"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--noise", type=Path)
    asked = parser.parse_args()
    bank = json.loads((asked.bank / f"memory_bank_{asked.language}.json").read_text(encoding="utf-8"))
    probing = (asked.bank / f"probing_questions_{asked.language}.jsonl").read_text(encoding="utf-8").splitlines()
    gold = json.loads(GOLD.read_text(encoding="utf-8"))
    others = asked.noise.read_text(encoding="utf-8").splitlines() if asked.noise else []
    every: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for at, (person, line) in enumerate(zip(bank.values(), probing, strict=True)):
        name = f"{asked.language}{at:02}"
        own = list(turns(name, person))
        every += [*own, *noise(name, others)]
        known = {one["id"] for one in own}
        for text, evidence in zip(*json.loads(line).values(), gold[str(at)], strict=True):
            found = [id for id in evidence if id in known]
            kind = "odd" if at % 2 else "even"
            questions.append({"dialogue": name, "question": text.strip('"'), "category": kind, "evidence": found})
    asked.folder.mkdir(parents=True, exist_ok=True)
    written(asked.folder / "turns.jsonl", every)
    written(asked.folder / "questions.jsonl", questions)


if __name__ == "__main__":
    main()
