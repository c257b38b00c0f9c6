"""Answers to the tasks of chat clients: from the conversation's own words and the library's names, without a search."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from state.context import Language
from tools.language import is_chinese
from tools.text.sentences import beginning, on_one_line
from wenmai.web.openai.conversation import unwrapped
from wenmai.web.openai.notes import RULE
from wenmai.web.openai.tasks import KEYS, Kind, Task

TITLE_CHARACTERS, TITLE_WORDS = 20, 8
SUMMARY_CHARACTERS = 120  # of each answer
MOST_NAMES = 3
END_SIGNS = " ，。！？、；：,.!?;:~…"
SUGGESTIONS: dict[Language, tuple[str, str, str]] = {
    "zh": ("{0}是谁？", "{0}后来怎么样了？", "{0}和{1}是什么关系？"),
    "en": ("Who is {0}?", "What happens to {0} later?", "How are {0} and {1} related?"),
}
LINES: dict[Language, str] = {"zh": "问：{0}\n答：{1}", "en": "Q: {0}\nA: {1}"}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a conversation is about: the library's title, and the names in the talk, the last mentioned first."""

    title: str
    names: Sequence[str]


def answer_to(task: Task, subject: Subject) -> str:
    """Return the answer to a task, in the form that it asks for."""
    if not task.keys:
        made = product(task.kind, task, subject)
        return made if isinstance(made, str) else "\n".join(made)
    return json.dumps({key: product(KEYS[key], task, subject) for key in task.keys}, ensure_ascii=False)


def product(kind: Kind, task: Task, subject: Subject) -> str | list[str]:
    """Return what is asked for; of what only a model could write nothing."""
    if kind == "title":
        return title(task, subject)
    if kind == "tags":
        return [subject.title, *subject.names[: MOST_NAMES - 1]]
    if kind == "follow_ups":
        return follow_ups(task, subject)
    if kind == "queries":
        return []
    return summary(task) if kind == "summary" else ""


def title(task: Task, subject: Subject) -> str:
    """Return the first question, cut to a title."""
    first = on_one_line(unwrapped(task.questions[0])) if task.questions else ""
    cut = first[:TITLE_CHARACTERS] if is_chinese(first) else " ".join(first.split()[:TITLE_WORDS])
    return cut.strip(END_SIGNS) or subject.title


def follow_ups(task: Task, subject: Subject) -> list[str]:
    """Return questions on the names of the talk that it has not asked."""
    questions = [unwrapped(one) for one in task.questions]
    first, *others = subject.names[:MOST_NAMES] or ("",)
    if not first:
        return []
    language: Language = "zh" if is_chinese("".join(questions) or first) else "en"
    who, later, related = SUGGESTIONS[language]
    made = [who.format(other) for other in (*others, first)] + [later.format(first)]
    made += [related.format(first, other) for other in others]
    return [one for one in made if one not in questions][:MOST_NAMES]


def summary(task: Task) -> str:
    """Return each question with the beginning of its answer."""
    pairs = zip(task.questions, task.answers, strict=False)
    language: Language = "zh" if is_chinese("".join(task.questions)) else "en"
    return "\n".join(
        LINES[language].format(on_one_line(unwrapped(asked)), on_one_line(beginning(answer, SUMMARY_CHARACTERS)))
        for asked, answer in pairs
    )


def words_of(task: Task) -> list[str]:
    """Return the texts of a talk, the last first."""
    return [one.text.partition(RULE)[0] for one in reversed(task.talk)]
