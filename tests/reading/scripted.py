"""A model that reads by rule: every answer is worked out from the text of the request, and is not always honest."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json
from tests.gemini.replies import Reply, turn, usage

ROOT = Path(__file__).parents[2]
STORY = ROOT / "data" / "sample" / "雾港纪事.txt"
NAMES: dict[str, dict[str, object]] = json.loads((STORY.parent / "aliases.json").read_text(encoding="utf-8"))
SENTENCE = re.compile(r"[^。！？\n“”]{8,40}[。！？]")
PRONOUN = re.compile(r"(?<=\n)[^\n“”，]{0,2}[她他][^\n“”，。]{6,16}")
INVENTED = "这句话不在原文里，是模型编的。"
PIECE_HEAD = re.compile(r"(?:\A|\n\n)(?:已知名字：.*\n\n)?## \d+ .*\n\n")
IN, OUT = 1_000, 500


@dataclass
class ScriptedReader:
    """Answers as `request -> step`; `texts` keeps the pieces that it was shown, `requests` those for summaries."""

    texts: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        if request.prompt.startswith("任务："):
            self.requests.append(request.prompt)
            return turn(as_json(summary(request.prompt)), tokens=usage(IN, OUT))
        shown = pieces_shown(request.prompt)
        self.texts += shown
        return turn(as_json(call_answer(*map(reading, shown))), tokens=usage(IN, OUT))


def pieces_shown(prompt: str) -> list[str]:
    """Return the texts of the pieces in a request."""
    return PIECE_HEAD.split(prompt)[1:]


def call_answer(*findings: Json) -> Json:
    """Return the answer to a call from what is found in each piece: an entity once for all of them."""
    entities: dict[str, Json] = {}
    for found in findings:
        for entity in found["entities"]:
            known = entities.setdefault(entity["name"], {**entity, "aliases": []})
            known["aliases"] = list(dict.fromkeys([*known["aliases"], *entity["aliases"]]))
    lists = ("relations", "events", "references")
    pieces = [{"number": number, **{name: found[name] for name in lists}} for number, found in enumerate(findings, 1)]
    return {"entities": list(entities.values()), "pieces": pieces}


def reading(text: str) -> Json:
    """Return what this model finds: entities, one relation and one event a sentence with two people, two lies."""
    entities = [entity for name, aliases in mentions().items() if (entity := found(name, aliases, text))]
    names = [entity["name"] for entity in entities if entity["kind"] == "Character"]
    told = [(s[0], [n for n in names if n in s[0]]) for s in SENTENCE.finditer(text)]
    pairs = [(sentence, people) for sentence, people in told if len(people) > 1]
    relations = [relation(people[0], people[1], sentence) for sentence, people in pairs[:3]]
    events = [event(people, sentence) for sentence, people in pairs[:2]]
    lies = [relation(names[0], names[1], INVENTED)] if len(names) > 1 else []
    lies_told = [event(names[:1], INVENTED)] if names else []
    return {
        "entities": entities,
        "relations": [*relations, *lies],
        "events": [*events, *lies_told],
        "references": [reference(match[0], names[0]) for match in PRONOUN.finditer(text) if names][:2],
    }


def mentions() -> dict[str, list[str]]:
    """Return the sample's names with their aliases."""
    table: dict[str, list[str]] = NAMES["mention"]  # type: ignore[assignment]  # the file is ours
    return table


def found(name: str, aliases: list[str], text: str) -> Json | None:
    """Return an entity that a text names under any spelling; the fullest one gives the name."""
    here = [spelling for spelling in (name, *aliases) if spelling in text]
    kinds: dict[str, str] = NAMES.get("type", {})  # type: ignore[assignment]  # the file is ours
    words = {"地名": "Location", "势力": "Organization", "组织": "Organization"}
    kind = words.get(kinds.get(name, ""), kinds.get(name, "Character"))
    return {"name": here[0], "kind": kind, "aliases": here[1:]} if here else None


def relation(source: str, target: str, evidence: str) -> Json:
    """Return a relation."""
    return {"source": source, "type": "FRIEND_OF", "target": target, "description": "同行", "evidence": evidence}


def event(people: list[str], evidence: str) -> Json:
    """Return an event (STO-06)."""
    roles = ["subject", *["object"] * len(people)]
    return {
        "name": evidence[:12],
        "event_type": "encounter",
        "characters": [{"name": name, "role": role} for name, role in zip(people, roles, strict=False)],
        "summary": f"{people[0]}与人相遇，这是脚本写的摘要。",
        "outcome": "",
        "evidence": evidence,
    }


def reference(quote: str, entity: str) -> Json:
    """Return who a pronoun stands for."""
    word = "她" if "她" in quote else "他"
    return {"quote": quote, "word": word, "entity": entity}


MATERIAL = re.compile(r"(?:\A|\n\n)\[(\d+)\] ")


def material(prompt: str) -> list[str]:
    """Return the numbered material of a request for a summary."""
    return MATERIAL.split(prompt)[2::2]


def summary(prompt: str) -> Json:
    """Return what this model writes: sentences of the material, and a lie in every list."""
    rows = [(number, row) for number, row in enumerate(material(prompt), 1)]
    if "为每个人重写" in prompt:
        said: dict[str, list[Json]] = {}
        for number, row in rows:
            name, _, text = row.partition("：")
            said.setdefault(name, []).append({"text": text, "marks": [number]})
        people = [{"name": name, "sentences": [*own[:1], *own[-2:]]} for name, own in said.items()]
        return {"sentences": [], "people": people}
    if "各部分的摘要" in prompt:
        told = [{"text": row.partition("：")[2], "marks": [number]} for number, row in rows]
        return {"sentences": [*told[:: max(1, len(told) // 6)], LIE], "people": []}
    first = [(number, match[0]) for number, row in rows if (match := SENTENCE.search(row))]
    return {
        "sentences": [*({"text": text, "marks": [number]} for number, text in first[:5]), LIE],
        "people": [one for name, aliases in mentions().items() if (one := described(name, aliases, rows))][:6],
    }


LIE: Json = {"text": "灯塔在一场大火里烧成了灰，全镇的人都逃到了北方的雪原。", "marks": [1]}


def described(name: str, aliases: list[str], rows: list[tuple[int, str]]) -> Json | None:
    """Return what the material says of somebody, in its own words."""
    told = [
        {"text": sentence[0], "marks": [number]}
        for number, row in rows
        for sentence in SENTENCE.finditer(row)
        if any(spelling in sentence[0] for spelling in (name, *aliases))
    ]
    here = [spelling for spelling in (name, *aliases) if any(spelling in row for _, row in rows)]
    return {"name": here[0], "sentences": [*told[:1], LIE]} if told else None
