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
    """Answers as `request -> step`; `texts` keeps the pieces that it was shown."""

    texts: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
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
