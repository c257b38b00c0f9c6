"""A small program that plays the model: it reads request-0001.json and writes response-0001.json, and so on.

python tests/graph/player.py FOLDER

It knows nothing of Wenmai: it sees what a model sees, and answers in the notation of the loopback service.
"""

import json
import re
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

PAUSE_S = 0.02
ROW = re.compile(r"(\[E\d+\]) (.*)")
NAMES = re.compile(r"(\S+?)和(\S+?)是什么关系")


def reply(seen: dict[str, Any]) -> dict[str, Any]:
    """Return one turn of the model."""
    if seen["schema"]:
        return {"json": verdict(seen)}
    results = [part["functionResponse"]["response"] for one in seen["contents"] for part in responses(one)]
    if not results:
        found = NAMES.search(text(seen["contents"][0]))
        pair = {"entity1": found[1], "entity2": found[2]} if found else {}
        return {"thought": "先看两人的关系", "calls": [{"name": "find_connection", "args": pair}]}
    if len(results) == 1:
        query = {"name": "search_memory", "args": {"query": text(seen["contents"][0])[-16:]}}
        return {"calls": [query, {"name": "stop", "args": {"reason": "sufficient"}}]}
    shown = [row for result in results for row in ROW.findall(result.get("result", ""))]
    return {"text": "".join(f"{words}{number}。" for number, words in shown[:2])}


def verdict(seen: dict[str, Any]) -> dict[str, Any]:
    """Return a grade: a draft with citations is good."""
    points = 16 if "[E1]" in text(seen["contents"][-1]) else 0
    named = ("tool_usage", "evidence", "completeness", "citation", "depth")
    scores = dict.fromkeys(named, points)
    claims = [{"text": "论断", "marks": [1], "supported": "yes" if points else "no"}]
    return {"question_type": "relation", "claims": claims, "missing": ["请注明出处"], "scores": scores}


def responses(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts that are results of calls."""
    return [part for part in content["parts"] if "functionResponse" in part]


def text(content: dict[str, Any]) -> str:
    """Return the text of a turn."""
    return "".join(part.get("text", "") for part in content["parts"])


def main() -> None:
    """Answer one request after another, until somebody ends the program."""
    folder = Path(sys.argv[1])
    for number in count(1):
        request = folder / f"request-{number:04}.json"
        while not request.exists():
            time.sleep(PAUSE_S)
        seen = json.loads(request.read_text(encoding="utf-8"))["seen"]
        answer = json.dumps(reply(seen), ensure_ascii=False)
        (folder / f"response-{number:04}.json").write_text(answer, encoding="utf-8")


if __name__ == "__main__":
    main()
