"""A week of talk of three users: 200 statements in two languages, and forty questions at its end.

    python -m benchmarks.week --misses --json week.json

`questions/week_statements.jsonl` are what they say, each at a time of the user's own clock: moves, changes of mind,
days counted from the day on which it is said, requests to forget. `questions/week_questions.jsonl` are asked on the
evening of the last day, each in a session of its own; both were written before the first run. `--more` asks others in
their place, which were written when the answers to these had been mended. Right: the answer before "see also" has an
alternative of every key and nothing of `not`; to be refused: it is, and no line has anything of `not`.
"""

import argparse
import asyncio
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.measures import keep, read_rows
from wenmai.agent import Agent, open_agent
from wenmai.answer import Answer
from wenmai.app import assembly, engines
from wenmai.app.clock import now

FOLDER = Path(__file__).parent / "questions"
SEE_ALSO = re.compile(r"^\s*(?:另见|see also)\s*[:：]", re.IGNORECASE | re.MULTILINE)
MARKS = re.compile(r"\s?\[\d+\]")
LAST_EVENING = "2026-03-08T22:30:00"
REFUSALS = ("not_found", "clarify")
Row = dict[str, Any]


@dataclass
class SetClock:
    """A clock that stands still until it is set."""

    moment: datetime

    def __call__(self) -> datetime:
        return self.moment


@contextmanager
def clock_set(clock: SetClock) -> Iterator[None]:
    """Let an agent that is opened inside tell the time by this clock."""
    setattr(assembly, "now", clock)  # noqa: B010 the composition takes the clock of the process by its name
    setattr(engines, "now", clock)  # noqa: B010
    try:
        yield
    finally:
        setattr(assembly, "now", now)  # noqa: B010
        setattr(engines, "now", now)  # noqa: B010


async def measured(folder: Path, statements: Sequence[Row], questions: Sequence[Row]) -> list[Row]:
    """Say the statements in the order of time, ask the questions, and judge the answers."""
    clock = SetClock(now())
    with clock_set(clock):
        async with open_agent(data_dir=folder, trace_dir=folder / "traces", google_api_key=None) as agent:
            zones = {row["user"]: row["zone"] for row in statements}
            for row in sorted(statements, key=lambda row: datetime.fromisoformat(row["time"])):
                clock.moment = datetime.fromisoformat(row["time"])
                thread = f"{row['user']}-{clock.moment.date()}"
                await said(agent, row["text"], row, thread)
            rows = []
            for row in questions:
                clock.moment = datetime.fromisoformat(LAST_EVENING).astimezone()
                answer = await said(agent, row["question"], row | {"zone": zones[row["user"]]}, None)
                rows.append(row | judged(row, answer, statements))
    return rows


async def said(agent: Agent, text: str, row: Row, thread: str | None) -> Answer:
    return await agent.ask(
        text,
        thread_id=thread,
        user_id=row["user"],
        time_zone=row["zone"],
        toolkits=["memory"],
        remember=thread is not None,
    )


def judged(row: Row, answer: Answer, statements: Sequence[Row]) -> Row:
    """Return whether an answer is right, whether it passed, and which statements of others it quotes."""
    text = MARKS.sub("", answer.text)
    head, refused = SEE_ALSO.split(text, maxsplit=1)[0], answer.record["status"] in REFUSALS
    is_clean = not any(one in (text if row.get("refuse") else head) for one in row.get("not", ()))
    has_keys = all(any(one.lower() in head.lower() for one in forms) for forms in row.get("keys", ()))
    own = {one["text"] for one in statements if one["user"] == row["user"]}
    foreign = [one["text"] for one in statements if one["text"] not in own and one["text"] in text]
    return {
        "answer": answer.text,
        "right": is_clean and (refused if row.get("refuse") else has_keys and not refused),
        "passed": bool(answer.record.get("passed")) and not refused,
        "confidence": answer.record.get("confidence"),
        "foreign": foreign,
    }


def main() -> None:
    """Print the figures, and with `--misses` what was answered wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--more", action="store_true", help="other questions")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    name = "more_questions" if asked.more else "questions"
    statements, questions = (read_rows(FOLDER / f"week_{one}.jsonl") for one in ("statements", name))
    with tempfile.TemporaryDirectory() as folder:
        rows = asyncio.run(measured(Path(folder), statements, questions))
    for row in rows:
        if asked.misses and not row["right"]:
            print(f"{row['user']} {row['question']} {row['confidence']} {row['passed']}\n  → {row['answer']}")
    figures = {
        "statements": len(statements),
        "questions": len(rows),
        "right": sum(row["right"] for row in rows),
        "wrong_passed": sum(row["passed"] and not row["right"] for row in rows),
        "of_another_user": sum(bool(row["foreign"]) for row in rows),
    }
    print(" ".join(f"{name}={value}" for name, value in figures.items()))
    keep(asked.json, figures | {"rows": rows})


if __name__ == "__main__":
    main()
