"""What the check by code did to an answer, in one line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from state.context import Language
from state.grading import NoteAction

TEXTS: Mapping[Language, Mapping[NoteAction, str]] = MappingProxyType(
    {
        "zh": {
            "dropped": "删去 {count} 句没有依据的话",
            "moved": "更正 {count} 处出处",
            "flagged": "{count} 句未能核实（{first}）",
        },
        "en": {
            "dropped": "{count} unsupported sentence(s) removed",
            "moved": "{count} citation(s) corrected",
            "flagged": "{count} sentence(s) not verified ({first})",
        },
    }
)
ANSWERED: Mapping[Language, str] = MappingProxyType(
    {"zh": "资料里似乎有答案（{places}）", "en": "the sources seem to answer ({places})"}
)
HEAD: Mapping[Language, str] = MappingProxyType({"zh": "核对：{parts}", "en": "Checked: {parts}"})
SHOWN = 30


def check_text(notes: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Return what was dropped, moved and doubted, '' for nothing."""
    told = [note for note in notes if note["reason"] != "answered"]
    counts = Counter(note["action"] for note in told)
    first = next((note["text"][:SHOWN] for note in told if note["action"] == "flagged"), "")
    parts = [
        text.format(count=counts[action], first=first) for action, text in TEXTS[language].items() if counts[action]
    ]
    answered = [place for note in notes if note["reason"] == "answered" for place in note["evidence"]]
    parts += [ANSWERED[language].format(places=", ".join(answered))] if answered else []
    return HEAD[language].format(parts=("；" if language == "zh" else "; ").join(parts)) if parts else ""
