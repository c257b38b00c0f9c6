"""Results as a model sees them: rows within a budget, cuts that say so.

Rows that show a piece of evidence say which; whoever shows them to a reader numbers them. Budgets are in Chinese
characters, or in as many letters of another script as cost a model the same (`tools.language.cost`).
"""

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tools.language import affordable, cost
from tools.messages import say
from tools.text.scripts import inverse_frequency
from tools.text.sentences import statement_spans
from tools.text.words import words_of

# Private characters around a row that shows a piece of evidence, which no text that is shown may hold.
BEGIN, NAMED, END = "\ue100", "\ue101", "\ue102"
SIGNS = re.compile(f"[{BEGIN}{NAMED}{END}]")
ROW = re.compile(f"{BEGIN}([^{NAMED}{END}]*)(?:{NAMED}([^{END}]*)(?:{END}|$)|$)")


def marked(id: str, text: str) -> str:
    """Return a row that shows a piece of evidence; without an id it is the text alone."""
    told = SIGNS.sub("", text)
    return f"{BEGIN}{id}{NAMED}{told}{END}" if id else told


def unmarked(text: str) -> str:
    return with_rows(text, lambda _, row: row)


def with_rows(text: str, shown: Callable[[str, str], str]) -> str:
    """Return a text with each row replaced by what `shown` makes of its id and its words."""
    return SIGNS.sub("", ROW.sub(lambda row: shown(row[1], row[2] or ""), text)) if BEGIN in text else text


logger = logging.getLogger(__name__)

# Begins a title that says which chapter it is.
NUMBERED = re.compile(
    r"\s*(?:第|卷|chapter\b|part\b|book\b|[\d〇零一二三四五六七八九十百]+[\s、.:：]|[ivxlc]+[.:])",
    re.IGNORECASE,
)
RESULT_CHARACTERS = 8_000  # that a result may show a model, unless a run says otherwise
ROW_MIN_CHARACTERS = 200
ROW_MAX_CHARACTERS = 1_500
WHOLE_SHARE = 0.7  # of the room, for the rows that are shown whole before the others are
CUT_MARK = "..."
CLAUSE_END = re.compile(r"[，,；;、:：]\s*")
MOST_CLAUSES = 30  # of a long sentence, from which a part of it may begin
# Room for the line that states the total.
COUNT_CHARACTERS = 40
# The text lengths that an oversized JSON result is cut to, one after the other, until it fits.
JSON_TEXT_STEPS = (1_500, 800, 400, 200, 100, 50, 20)

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRow:
    """A row of a list: the text that may be cut, and the id of the piece of evidence that it shows.

    `head` stands before the text and is not cut. `rarity` has the words of the query that found the text, with their
    weights: a cut keeps the sentences that have most of them.
    """

    text: str
    evidence: str = ""
    head: str = ""
    rarity: Mapping[str, float] = field(default_factory=dict[str, float])

    def cut(self, budget: int) -> tuple[str, bool]:
        """Return the row, marked, within a budget, and whether it was cut."""
        whole = self.head + self.text
        if cost(whole) <= budget:
            return marked(self.evidence, whole), False
        return marked(self.evidence, self.head + self._excerpt(budget - cost(self.head))), True

    def _excerpt(self, budget: int) -> str:
        """Return whole sentences around the one with most of the query's words; without any the beginning.

        That sentence stays whole, also where it alone is above the budget, unless no row may be as long.
        """
        span = best_span(self.text, self.rarity, budget - 2 * cost(CUT_MARK))
        if span is None:
            return within(self.text, budget)
        start, end = span
        if cost(self.text[start:end]) > ROW_MAX_CHARACTERS:
            return self._part(start, end)
        before, after = CUT_MARK if start else "", CUT_MARK if end < len(self.text) else ""
        return before + self.text[start:end] + after

    def _part(self, start: int, end: int) -> str:
        """Return as much of a sentence as a row may have, from the clause on that most of the query's words follow."""
        sentence = self.text[start:end]
        clauses = thin([0, *(clause.end() for clause in CLAUSE_END.finditer(sentence))], MOST_CLAUSES)
        parts = [sentence[at : at + affordable(sentence[at:], ROW_MAX_CHARACTERS)] for at in clauses]
        part = max(parts, key=lambda one: weight_of(self.rarity.keys() & set(words_of(one)), self.rarity))
        return (CUT_MARK if start or part != parts[0] else "") + part + CUT_MARK


def best_span(text: str, rarity: Mapping[str, float], room: int) -> tuple[int, int] | None:
    """Return where the whole sentences stand around the one with most of a query's words; None without any.

    That sentence stays whole, also where it alone is above the room.
    """
    spans = statement_spans(text) if rarity else []
    words = [rarity.keys() & set(words_of(text[slice(*span)])) for span in spans]
    if not any(words):
        return None

    best = max(range(len(spans)), key=lambda at: (weight_of(words[at], rarity), -at))
    first, last, held = best, best, words[best]
    while True:
        beside = [at for at in (first - 1, last + 1) if 0 <= at < len(spans)]
        fitting = [at for at in beside if cost(text[spans[min(at, first)][0] : spans[max(at, last)][1]]) <= room]
        if not fitting:
            return spans[first][0], spans[last][1]
        added = max(fitting, key=lambda at: (weight_of(words[at] - held, rarity), -abs(at - best)))
        first, last, held = min(added, first), max(added, last), held | words[added]


def weight_of(words: set[str], rarity: Mapping[str, float]) -> float:
    return sum(rarity[word] for word in words)


def rarity_of(query: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the words of a query that some of the texts have, with their weights: the rarer, the more."""
    held = [set(words_of(text)) for text in texts]
    counts = {word: sum(word in one for one in held) for word in set(words_of(query))}
    return {word: inverse_frequency(count, len(texts)) for word, count in counts.items() if count}


def flat_text(text: str) -> str:
    return " ".join(text.split())


def shorten(text: str, limit: int) -> str:
    """Cut a text to `limit` characters, with "..." only when something was cut."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - len(CUT_MARK))] + CUT_MARK[:limit]


def within(text: str, budget: int) -> str:
    """Cut a text whose visible characters cost too much."""
    if cost(unmarked(text)) <= budget:
        return text
    return text[: affordable(text, max(0, budget - cost(CUT_MARK)))] + CUT_MARK


def mark(number: int | str | None) -> str:
    return "?" if number is None or number == "" else str(number)


def place(part: int | None, chapter: int | None, title: str | None) -> str:
    """Return where something stands: `第2部 第7章 潮生`; '' where nothing is known."""
    parts = [say("evidence.part", part=part)] if part is not None else []
    own = " ".join((title or "").split())
    if chapter is not None and not NUMBERED.match(own) and not (own and chapter == 0):
        parts.append(" ".join(one for one in (say("evidence.chapter", chapter=chapter), own) if one))
    elif own:
        parts.append(own)
    return say("evidence.place_separator").join(parts)


def behind_place(place: str, text: str) -> str:
    return say("evidence.at_place", place=place, text=text) if place else text


def listing(
    rows: Sequence[ListRow], budget: int, *, before: Sequence[str] = (), total: int | None = None, whole: int = 0
) -> str:
    """Lay out rows after the lines `before`, with `显示 k/n 条` and which of them are cut at the end, all in `budget`.

    Rows have equal shares of it; the first `whole` ones are shown whole, as far as most of the budget goes.
    """
    count = len(rows) if total is None else total
    head = "".join(f"{line}\n" for line in before if line)
    if not rows:
        return within(head + say("evidence.nothing_found"), budget)
    room = budget - cost(unmarked(head)) - cost(_footer(count, count, range(1, len(rows) + 1)))
    shown = _fitting(rows, room, whole)
    if len(shown) < len(rows):
        logger.info("Left out %d of %d rows beyond %d characters", len(rows) - len(shown), len(rows), budget)
    cut = [number for number, (_, is_cut) in enumerate(shown, 1) if is_cut]
    return head + "".join(f"{row}\n" for row, _ in shown) + _footer(len(shown), count, cut)


def _footer(shown: int, count: int, cut: Sequence[int]) -> str:
    told = say("evidence.rows_cut", rows=say("sign.list").join(map(str, cut))) if cut else ""
    return say("evidence.rows_shown", shown=shown, count=count) + told


def _fitting(rows: Sequence[ListRow], room: int, whole: int) -> list[tuple[str, bool]]:
    """Cut each row to its share of the room; leave out from the end what does not fit."""
    share = room // len(rows) - 1
    leading = max(share, int(room * WHOLE_SHARE) // max(1, whole))
    shown: list[tuple[str, bool]] = []
    for at, row in enumerate(rows):
        if whole and at >= whole:
            share = room // (len(rows) - at) - 1
        most = min(max(leading if at < whole else share, ROW_MIN_CHARACTERS), ROW_MAX_CHARACTERS)
        text, is_cut = row.cut(most)
        room -= cost(unmarked(text)) + 1
        if room < 0:
            break
        shown.append((text, is_cut))
    return shown


def rows_that_fit(budget: int) -> int:
    """Return how many rows of the least length a budget holds, at least one."""
    return max(1, budget // (ROW_MIN_CHARACTERS + 1) - 1)


def lines_that_fit(lines: Sequence[str], budget: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        budget -= cost(unmarked(line)) + 1
        if budget < 0:
            logger.info("Left out %d of %d lines", len(lines) - len(kept), len(lines))
            break
        kept.append(line)
    return kept


def lines_with_total(lines: Sequence[str], total: int, head: str, budget: int, *, is_sample: bool = True) -> str:
    """Lay out lines after `head` with the total at the end, and whether they are a sample of it; '' without lines."""
    if not lines:
        return ""
    kept = lines_that_fit(lines, budget - cost(head) - COUNT_CHARACTERS)
    note = counts(total, len(kept), sampled=is_sample and len(lines) < total)
    return "\n".join(line for line in (head, *kept, note) if line)


def counts(total: int, shown: int, *, sampled: bool) -> str:
    return say("evidence.rows_total", total=total, shown=shown) + (say("evidence.even_sample") if sampled else "")


def thin(items: Sequence[Item], limit: int) -> list[Item]:
    """Return at most `limit` items, spread evenly; the first and the last stay."""
    if len(items) <= limit:
        return list(items)
    if limit < 2:
        return list(items[:limit])
    return [items[round(i * (len(items) - 1) / (limit - 1))] for i in range(limit)]


def fit_json(value: dict[str, Any], budget: int) -> str:
    """Return JSON text within a budget: last items go first, then texts are cut."""
    text = dump(value)
    if cost(text) <= budget:
        return text
    logger.info("Cut a JSON result of %d characters to %d", len(text), budget)
    cut = {**_drop_items(value, budget), "truncated": True}
    for limit in JSON_TEXT_STEPS:
        if cost(dump(cut)) <= budget:
            break
        cut = {**_cut_texts(cut, limit), "truncated": True}
    return dump(cut) if cost(dump(cut)) <= budget else dump({"truncated": True})


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)


def _drop_items(value: dict[str, Any], budget: int) -> dict[str, Any]:
    """Drop last items of the longest lists until the text fits or one item is left in each."""
    excess = cost(dump({**value, "truncated": True})) - budget
    lists = {key: list(part) for key, part in value.items() if isinstance(part, list)}
    for key in sorted(lists, key=lambda key: (-cost(dump(lists[key])), key)):
        while excess > 0 and len(lists[key]) > 1:
            excess -= cost(dump(lists[key].pop()) + ", ") - 1  # each is rounded up
    return {**value, **lists}


def _cut_texts(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return shorten(value, limit)
    if isinstance(value, list):
        return [_cut_texts(item, limit) for item in value]
    if isinstance(value, dict):
        return {key: _cut_texts(item, limit) for key, item in value.items()}
    return value
