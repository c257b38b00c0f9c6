"""Requests that chat clients send by themselves: titles, tags, what to ask next, search words, summaries.

They are told by their form, not by one wording. A client hands the conversation over as material (between tags, as
lines `user: …`, as JSON) beside an order for something that is made of conversations; or it gives the order as a
system message, or says in the last message that what stands before is only to be summarised. A user's own question
has no such form. They are answered from the conversation's own words and the library's names, without a search.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from state.context import Language
from tools.language import is_chinese, spoken_in
from tools.text.sentences import beginning, on_one_line, sentence_spans
from wenmai.web.openai.replies import RULE, without_notes
from wenmai.web.openai.requests import ChatRequest, question_text

Kind = Literal["title", "tags", "follow_ups", "queries", "summary", "other"]
# What is ordered, the first that fits; a summary last: titles "summarize", too.
PRODUCTS: Mapping[Kind, re.Pattern[str]] = {
    "follow_ups": re.compile(
        r"follow[- _]?ups?\b|questions? .{0,60}(?:ask|next)|追问|后续问题|後續問題|接下来.{0,6}问", re.IGNORECASE
    ),
    "queries": re.compile(r"search[- _]?quer(?:y|ies)|搜索(?:关键)?词|检索词|搜尋(?:關鍵)?詞", re.IGNORECASE),
    "tags": re.compile(r"\btags?\b|标签|標籤", re.IGNORECASE),
    "title": re.compile(r"\btitles?\b|标题|標題", re.IGNORECASE),
    "summary": re.compile(r"summar(?:y|i[sz]e)|总结|總結|概括|摘要", re.IGNORECASE),
    "other": re.compile(r"\bemojis?\b", re.IGNORECASE),
}
KEYS: Mapping[str, Kind] = {
    "title": "title",
    "tags": "tags",
    "follow_ups": "follow_ups",
    "queries": "queries",
    "summary": "summary",
    "description": "summary",
    "text": "other",
    "prompt": "other",
    "tool_calls": "queries",
}
KEY = re.compile(rf'"({"|".join(KEYS)})"\s*:')
HISTORY = (
    re.compile(r"<chat_history>(?P<text>[\s\S]*?)(?:</chat_history>|\Z)", re.IGNORECASE),
    re.compile(r"^#+ *chat history:?(?P<text>[\s\S]+)", re.IGNORECASE | re.MULTILINE),
    re.compile(r"^message: *```(?P<text>[\s\S]*?)```\s*\Z", re.IGNORECASE | re.MULTILINE),
)
SPEAKERS: Mapping[str, str] = {
    "user": "user", "human": "user", "用户": "user", "assistant": "assistant", "ai": "assistant", "助手": "assistant",
}  # fmt: skip
NAMES = "|".join(SPEAKERS)
LINE = re.compile(rf"^[ \t]*(?P<who>{NAMES})[ \t]*[:：]", re.IGNORECASE | re.MULTILINE)
TAG = re.compile(rf"<(?P<who>{NAMES})>", re.IGNORECASE)
ORDER = re.compile(
    r"(?:summari[sz]e|turn).{0,40}\b(?:conversation|chat|dialogue)s?\b.{0,20}\b(?:into|as)\b.{0,20}\btitles?\b"
    r"|\btitles?\b.{0,20}\b(?:for|of)\b.{0,20}\b(?:conversation|chat|dialogue)\b.{0,80}\b(?:words|characters|only)\b"
    r"|(?:总结|概括|归纳|提炼|總結).{0,12}(?:会话|对话|聊天|會話|對話).{0,12}(?:标题|標題)"
    r"|(?:会话|对话|聊天|會話|對話).{0,12}(?:总结|概括|归纳|提炼|總結).{0,20}(?:标题|標題)",
    re.IGNORECASE,
)
ONLY_SUMMARISE = re.compile(
    r"^\W{0,9}(?:(?:ignore|pause|stop)\b[^.\n]{0,60}[.\n]\s{0,9})?\W{0,9}(?:please\s{1,9})?"
    r"summari[sz]e\b.{0,80}\b(?:so far|conversation|chat|message)"
    r"|^\W{0,9}(?:忽略[^。\n]{0,30}[。，\n]\s{0,9})?请?(?:总结|概括|總結).{0,20}(?:以上|上述|至今|目前|到此).{0,12}(?:对话|会话|聊天|剧情|故事|對話)",
    re.IGNORECASE,
)
TOOLS = "Available Tools:"  # begins an order to choose among a client's tools
ORDER_CHARACTERS = 4_000
MOST_LINES = 400  # of a conversation that is material
TEXTS = ("mainText", "content", "text")
TITLE_CHARACTERS, TITLE_WORDS = 20, 8
QUESTION_CHARS = 4_000  # of a question that are looked through for a title
ASKING, CLOSING = ("？", "?"), "”’」』）)\"' "
SUMMARY_CHARACTERS = 120  # of each answer
MOST_NAMES = 3
END_SIGNS = " ，。！？、；：,.!?;:~…"
SUGGESTIONS: dict[Language, tuple[str, str, str]] = {
    "zh": ("{0}是谁？", "{0}后来怎么样了？", "{0}和{1}是什么关系？"),
    "en": ("Who is {0}?", "What happens to {0} later?", "How are {0} and {1} related?"),
}
LINES: dict[Language, str] = {"zh": "问：{0}\n答：{1}", "en": "Q: {0}\nA: {1}"}


@dataclass(frozen=True, slots=True)
class Utterance:
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """What a client wants of a conversation; with `keys` as a JSON object."""

    kind: Kind
    talk: Sequence[Utterance]
    keys: tuple[str, ...] = ()

    @property
    def questions(self) -> list[str]:
        return [one.text for one in self.talk if one.role == "user" and one.text]

    @property
    def answers(self) -> list[str]:
        return [without_notes(one.text)[0] for one in self.talk if one.role == "assistant" and one.text]


def task_of(request: ChatRequest) -> Task | None:
    """Return the task of a request, None for a question of a user."""
    *before, last = request.messages
    system = ends("\n".join(one.text for one in request.messages if one.role in ("system", "developer")))
    order, material = split_material(last.text)
    order = ends(order)
    said = [Utterance(one.role, one.text) for one in request.messages]
    if by_schema := schema_keys(request.response_format):
        return Task(KEYS[by_schema[0]], material or said, by_schema)
    if material and (kind := ordered_kind(order, system if last.role == "user" else "")):
        return Task(kind, material, json_keys(f"{system}\n{order}", kind))
    if system.startswith(TOOLS) and '"tool_calls"' in system:
        return Task("queries", said, ("tool_calls",))
    if before and ONLY_SUMMARISE.match(last.text):
        return Task("summary", material or said[:-1])
    if ORDER.search(system):
        return Task("title", material or said, json_keys(system, "title"))
    return None


def ends(text: str) -> str:
    """Return a text, of a long one its beginning and its end: an order stands there."""
    return text if len(text) <= 2 * ORDER_CHARACTERS else f"{text[:ORDER_CHARACTERS]}\n{text[-ORDER_CHARACTERS:]}"


def ordered_kind(order: str, system: str) -> Kind | None:
    keys = KEY.findall(order)
    if keys:
        return KEYS[keys[0]]
    texts = [text for text in (order, system) if text.strip()]
    return next((kind for text in texts for kind, pattern in PRODUCTS.items() if pattern.search(text)), None)


def json_keys(order: str, kind: Kind) -> tuple[str, ...]:
    """Return the keys of the JSON object that an order asks for, () where it asks for text."""
    if "json" not in order.lower():
        return ()
    found = tuple(dict.fromkeys(KEY.findall(order)))
    return found or ((kind,) if kind in KEYS else ())


def schema_keys(form: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the keys of a schema whose every field is something that is made of conversations."""
    fields: object = form
    for name in ("json_schema", "schema", "properties"):
        fields = fields.get(name) if isinstance(fields, Mapping) else None
    return tuple(fields) if isinstance(fields, Mapping) and fields and all(name in KEYS for name in fields) else ()


def split_material(text: str) -> tuple[str, list[Utterance]]:
    """Return the words of a message, and apart from them the conversation that it brings as material."""
    found = next((match for pattern in HISTORY if (match := pattern.search(text))), None)
    if found:
        inner = found["text"].strip()
        return text[: found.start()] + text[found.end() :], lines_of(inner) or [Utterance("user", inner)]
    if rows := rows_of(text):
        return "", rows
    said = lines_of(text)
    if len(said) < 2:  # one alone may be a user's own words
        return text, []
    first = next(mark.start() for pattern in (TAG, LINE) if (mark := pattern.search(text)))
    return text[:first] + "\n" + text.rpartition("\n\n")[2], said


def lines_of(text: str) -> list[Utterance]:
    """Return the words of a conversation that is written between tags, or as lines with who says them."""
    pattern = TAG if TAG.search(text) else LINE
    marks = list(islice(pattern.finditer(text), MOST_LINES))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    said = []
    for mark, end in zip(marks, ends, strict=False):
        words = text[mark.end() : end].partition(f"</{mark['who']}>")[0]
        said.append(Utterance(SPEAKERS[mark["who"].lower()], words.strip()))
    return said


def rows_of(text: str) -> list[Utterance]:
    """Return the words of a conversation that is written as JSON, [] for everything else."""
    if not text.lstrip().startswith("["):
        return []
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not all(isinstance(row, Mapping) and "role" in row for row in rows):
        return []
    return [Utterance(str(row["role"]), next((str(row[name]) for name in TEXTS if row.get(name)), "")) for row in rows]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a conversation is about: the library's title, and the names in the talk, the last mentioned first."""

    title: str
    names: Sequence[str]


def answer_to(task: Task, subject: Subject) -> str:
    if not task.keys:
        made = product(task.kind, task, subject)
        return made if isinstance(made, str) else "\n".join(made)
    return json.dumps({key: product(KEYS[key], task, subject) for key in task.keys}, ensure_ascii=False)


def product(kind: Kind, task: Task, subject: Subject) -> str | list[str]:
    """Return what is asked for; empty where only a model could write it."""
    questions = [on_one_line(question_text(one)) for one in task.questions]
    if kind == "title":
        first = asking_sentence(questions[0]) if questions else ""
        cut = first[:TITLE_CHARACTERS] if is_chinese(first) else " ".join(first.split()[:TITLE_WORDS])
        return cut.strip(END_SIGNS) or subject.title
    if kind == "tags":
        return [subject.title, *subject.names[: MOST_NAMES - 1]]
    if kind == "follow_ups":
        return follow_ups(task, subject)
    if kind == "queries":
        return []
    if kind != "summary":
        return ""
    language = spoken_in("".join(task.questions))
    answers = [on_one_line(beginning(one, SUMMARY_CHARACTERS)) for one in task.answers]
    return "\n".join(LINES[language].format(*pair) for pair in zip(questions, answers, strict=False))


def asking_sentence(question: str) -> str:
    """Return the last sentence of a question that asks, else its first: what stands before it may be a text."""
    sentences = [question[begin:end] for begin, end in sentence_spans(question, 0, min(len(question), QUESTION_CHARS))]
    asking = [one for one in sentences if one.rstrip(CLOSING).endswith(ASKING)]
    return (asking or sentences[:1] or [""])[-1]


def follow_ups(task: Task, subject: Subject) -> list[str]:
    """Return questions on the names of the talk that it has not asked."""
    questions = [question_text(one) for one in task.questions]
    first, *others = subject.names[:MOST_NAMES] or ("",)
    if not first:
        return []
    language = spoken_in("".join(questions) or first)
    who, later, related = SUGGESTIONS[language]
    made = [who.format(other) for other in (*others, first)] + [later.format(first)]
    made += [related.format(first, other) for other in others]
    return [one for one in made if one not in questions][:MOST_NAMES]


def words_of(task: Task) -> list[str]:
    return [one.text.partition(RULE)[0] for one in reversed(task.talk)]
