"""What is said beside an answer, in the language of the question: warnings, and what the check by code did to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from state.context import Language
from tools.messages import say_in
from tools.text.sentences import on_one_line

if TYPE_CHECKING:
    from state.draft import NoteAction
    from state.schema import Role

ACTIONS: "tuple[NoteAction, ...]" = ("dropped", "moved", "flagged", "replaced")


def joined_warning(*warnings: str | None) -> str | None:
    return " ".join(dict.fromkeys(warning for warning in warnings if warning)) or None


def slow_model(role: "Role", language: Language, seconds: float) -> str:
    name = say_in(language, f"turn.role_{role}")
    return say_in(language, "turn.model_slow", role=name, seconds=max(0, seconds))


def fault(reason: str, language: Language) -> str:
    """Return in words why a sentence was dropped, moved or flagged."""
    return say_in(language, f"turn.fault_{reason}")


def check_text(notes: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Return what was dropped and moved, and each doubtful sentence with the reason, '' for nothing."""
    refused = [note for note in notes if note["reason"] == "answered" and note["action"] != "replaced"]
    told = [note for note in notes if note not in refused]
    counts = Counter(note["action"] for note in told)

    def listed(action: str) -> str:
        return say_in(language, "sign.list").join(
            say_in(language, "turn.doubted", text=on_one_line(note["text"]), reason=fault(note["reason"], language))
            for note in told
            if note["action"] == action
        )

    parts = [
        say_in(language, f"turn.check_{action}", count=counts[action], sentences=listed(action))
        for action in ACTIONS
        if counts[action]
    ]
    answered = [place for note in refused for place in note["evidence"]]
    parts += [say_in(language, "turn.check_answered", places=", ".join(answered))] if answered else []
    semicolon = say_in(language, "sign.semicolon")
    return say_in(language, "turn.checked", parts=semicolon.join(parts)) if parts else ""
