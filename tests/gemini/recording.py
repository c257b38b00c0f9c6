"""Conversations in a file: one JSON line for each request and its answer."""

import json
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.gemini.exchange import Request
from tests.gemini.parts import Json
from tests.gemini.refusals import invalid
from tests.gemini.replies import Reply

KEPT = ("method", "model", "body")


def asked(request: Request) -> Json:
    """Return what a recording keeps of a request."""
    return {name: getattr(request, name) for name in KEPT}


@dataclass(slots=True)
class Recorder:
    """Appends to a file: `gemini.recorder = Recorder(path)`. Refusals are answers too."""

    path: Path
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request, reply: Reply) -> None:
        """Write one exchange."""
        line = json.dumps({"request": asked(request), "reply": asdict(reply)}, ensure_ascii=False)
        with self.lock, self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


@dataclass(slots=True)
class Replay:
    """Answers from a recording: `gemini.answer(Replay.of(path))`.

    Attributes:
        exact: The request must be the recorded one, word for word; else method and model are enough.
    """

    entries: list[Json]
    exact: bool = True

    @classmethod
    def of(cls, path: Path, exact: bool = True) -> "Replay":
        """Read a recording."""
        lines = path.read_text(encoding="utf-8").splitlines()
        return cls([json.loads(line) for line in lines if line.strip()], exact)

    def __call__(self, request: Request) -> Reply:
        """Return the next answer that was given to such a request. Raises Refusal when there is none."""
        for number, entry in enumerate(self.entries):
            if self.fits(entry["request"], request):
                recorded = self.entries.pop(number)["reply"]
                return Reply(**{**recorded, "chunks": tuple(recorded["chunks"])})
        raise invalid(f"loopback: the recording has no answer for request {request.number}: {self.difference(request)}")

    def fits(self, recorded: Json, request: Request) -> bool:
        """Tell whether a recorded request is this one."""
        names = KEPT if self.exact else KEPT[:2]
        return all(recorded[name] == getattr(request, name) for name in names)

    def difference(self, request: Request) -> str:
        """Say where the next recorded request of this kind differs."""
        near = [one["request"]["body"] for one in self.entries if one["request"]["method"] == request.method]
        if not near:
            return "no request of this method is left"
        names = sorted(near[0].keys() | request.body.keys())
        return f"{[name for name in names if near[0].get(name) != request.body.get(name)]} differ"
