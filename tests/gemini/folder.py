"""Another program, or a person, plays the model: requests and answers are files in a folder."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from tests.gemini.exchange import Request
from tests.gemini.notation import step_of
from tests.gemini.recording import asked
from tests.gemini.refusals import Refusal
from tests.gemini.replies import Reply

PAUSE_S = 0.05


@dataclass(slots=True)
class Folder:
    """Writes request-0001.json and waits for response-0001.json: `gemini.answer(Folder(path))`.

    The answer is a step in JSON, see `notation`. Numbers go on behind those that the folder already has.
    """

    path: Path
    wait_s: float = 600.0
    number: int = 0

    def __post_init__(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        self.number = max((int(one.stem.split("-")[1]) for one in self.path.glob("request-*.json")), default=0)

    async def __call__(self, request: Request) -> Reply:
        """Ask and wait. Raises Refusal when nobody answers in time."""
        self.number += 1
        name = f"{self.number:04}.json"
        draft = self.path / f"{name}.part"
        draft.write_text(
            json.dumps(asked(request) | {"seen": request.seen}, ensure_ascii=False, indent=1), encoding="utf-8"
        )
        draft.rename(self.path / f"request-{name}")
        for _ in range(int(self.wait_s / PAUSE_S)):
            await asyncio.sleep(PAUSE_S)
            if (reply := answered(self.path / f"response-{name}")) is not None:
                return reply
        raise Refusal(504, f"loopback: nobody wrote response-{name} within {self.wait_s:g} s")


def answered(path: Path) -> Reply | None:
    """Return the answer of a file, None while there is none or while it is still being written."""
    try:
        return step_of(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
