"""What is said beside an answer, in the language of the question: warnings, and what the check by code did to it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from state.context import Language
from state.draft import NoteAction

if TYPE_CHECKING:
    from state.events import WithdrawnBecause
    from state.schema import Role

Notice = Mapping[Language, str]

OUT_OF_TOKENS: Notice = {
    "zh": "已用完本次提问的 token 上限（max_tokens），没有再调用模型。",
    "en": "This question has used up its tokens (max_tokens); no model was called any more.",
}
NO_TEXT: Notice = {"zh": "模型两次没有给出文字（{reason}）。", "en": "The model gave no text, twice ({reason})."}
MODEL_SLOW: Notice = {
    "zh": "{role}模型在 {seconds:g} 秒内没有回答。",
    "en": "The {role}'s model did not answer within {seconds:g} seconds.",
}
CHINESE_ROLES: "Mapping[Role, str]" = {"planner": "规划", "resolver": "消解", "grader": "评分", "recaller": "回忆"}
LEARNER_SLOW: Notice = {"zh": "超时", "en": "time-out"}
NO_USER_KEPT: Notice = {
    "zh": "没有 user_id，这一轮没有记住。",
    "en": "There is no user_id: nothing of this turn was kept.",
}
NOT_KEPT: Notice = {"zh": "这一轮没有记住（{reason}）。", "en": "Nothing of this turn was kept ({reason})."}
ONE_RETRIEVAL: Notice = {
    "zh": "rag 模式只检索一次，用的是 {used}，没有检索 {left}；要两者都用请用 mode=agent。",
    "en": "rag mode retrieves once: with {used}, not with {left}; mode=agent uses both.",
}
WITHDRAWN: "Mapping[WithdrawnBecause, Notice]" = {
    "calls": {"zh": "还要继续检索，先不作答。", "en": "Not an answer yet: the search goes on."},
    "interrupted": {"zh": "模型中断，重新作答。", "en": "The model was interrupted and is asked again."},
    "failed": {"zh": "这一稿未通过：{why}", "en": "This draft did not pass: {why}"},
    "earlier": {"zh": "后来的稿子没有更好，采用第 {why} 稿。", "en": "No later one was better: draft {why} stands."},
}
"""Why a draft that was shown is withdrawn."""
INTERNAL: Notice = {"zh": "内部错误 ({error})", "en": "Internal error ({error})"}


def joined_warning(*warnings: str | None) -> str | None:
    return " ".join(dict.fromkeys(warning for warning in warnings if warning)) or None


def slow_model(role: "Role", language: Language, seconds: float) -> str:
    name = CHINESE_ROLES[role] if language == "zh" else role
    return MODEL_SLOW[language].format(role=name, seconds=max(0, seconds))


TEXTS: Mapping[Language, Mapping[NoteAction, str]] = {
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
ANSWERED: Mapping[Language, str] = {"zh": "资料里似乎有答案（{places}）", "en": "the sources seem to answer ({places})"}
HEAD: Mapping[Language, str] = {"zh": "核对：{parts}", "en": "Checked: {parts}"}
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
