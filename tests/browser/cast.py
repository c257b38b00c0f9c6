"""Libraries for the views of people and events: the sample story with its relations and events, and a hostile one."""

import json
from pathlib import Path

from tests.integration.live_server import ROOT, environment, prepare, wenmai

SAMPLE = ROOT / "data" / "sample"
LIBRARY, HOSTILE_LIBRARY = "harbour", "hostile"
HOSTILE = "<img src=x onerror=window.pwned=1>"
HOSTILE_STORY = f"第一章 起\n\n{HOSTILE}走进了灯塔。王二看着{HOSTILE}。\n\n第二章 终\n\n王二离开了灯塔。\n"


def prepare_cast(folder: Path) -> None:
    """Make both libraries in a folder, besides the small one."""
    prepare(folder)
    graph = [argument for name in ("relations", "events") for argument in ("--graph", str(SAMPLE / f"{name}.jsonl"))]
    story = str(SAMPLE / "雾港纪事.txt")
    ingest(folder, story, LIBRARY, "--title", "雾港纪事", "--aliases", str(SAMPLE / "aliases.json"), *graph)
    (folder / "hostile.txt").write_text(HOSTILE_STORY, encoding="utf-8")
    (folder / "hostile.json").write_text(json.dumps({HOSTILE: [], "王二": ["</script>"]}), encoding="utf-8")
    (folder / "ties.jsonl").write_text(json.dumps(tie()), encoding="utf-8")
    (folder / "acts.jsonl").write_text(json.dumps(act()), encoding="utf-8")
    files = ("--aliases", "hostile.json", "--graph", "ties.jsonl", "--graph", "acts.jsonl")
    ingest(folder, "hostile.txt", HOSTILE_LIBRARY, *files)


def tie() -> dict[str, object]:
    """Return a relation whose every text is markup."""
    evidence = f"王二看着{HOSTILE}"
    place = {"part": 1, "chapter": 1, "evidence": evidence}
    return {"source": "王二", "type": "FRIEND_OF", "target": HOSTILE, "description": HOSTILE, **place}


def act() -> dict[str, object]:
    """Return an event whose every text is markup."""
    people = [{"name": HOSTILE, "role": "subject"}, {"name": "王二", "role": "object"}]
    told = {"name": HOSTILE, "summary": HOSTILE, "outcome": HOSTILE, "evidence": f"{HOSTILE}走进了灯塔"}
    return {**told, "event_type": "encounter", "part": 1, "chapter": 1, "characters": people}


def ingest(folder: Path, story: str, library: str, *more: str) -> None:
    """Take a story in."""
    done = wenmai(folder, "ingest", story, "--library", library, *more)
    assert done.returncode == 0, (done.stderr, environment(folder).get("DATA_DIR"))
