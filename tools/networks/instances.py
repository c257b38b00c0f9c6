"""The instances that a keyword means: exact first, then like it (knowledge.md §4)."""

import asyncio
import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tools.networks.records import (
    Account,
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    ObjectType,
    any_of,
    instance_id,
)
from tools.networks.refusals import CALL_S, FAILURES, cause_of
from tools.ports import KnowledgeNetwork
from tools.text.scripts import NOT_LETTERS, holds_in_order, is_similar
from tools.wording import Words

logger = logging.getLogger(__name__)

LIMIT = 10
EVERY = "*"  # the keyword that asks for the instances of a type, whatever they are called (chosen)
LOOKED_AT = 50  # rows of the second stage that the likeness is checked on
BATCH = 100  # sub-conditions of one query
LEAST_PART = 4  # characters of a suffix or prefix, and its share of the keyword
LEAST_SHARE = 0.6
LIKE = 0.5
FUZZY_OPERATIONS = ("like", "match", "multi_match")
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
UNSEARCHABLE = Words(
    "对象类型 {type} 没有可以按关键词查询的属性",
    "no property of object type {type} can be searched for a keyword",
)
FAILED = Words("实例查询失败（{cause}）", "the query for instances failed ({cause})")
PARTLY = Words("部分属性的实例查询失败（{cause}）", "the query for instances failed for some properties ({cause})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """An instance with the properties whose value is, or is like, the keyword."""

    instance: Instance
    exact: bool
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordMatches:
    """What a keyword matched, best first; `failed`: nothing could be asked, `partial`: not everything."""

    found: Sequence[Match] = ()
    total: int = 0
    warnings: Sequence[str] = ()
    partial: bool = False
    failed: bool = False

    @property
    def fields(self) -> list[str]:
        """The matched properties of all rows, the most frequent first."""
        counted = Counter(name for match in self.found for name in match.fields)
        return [name for name, _ in counted.most_common()]


@dataclass(frozen=True, slots=True)
class InstanceSearch:
    networks: KnowledgeNetwork
    call_s: float = CALL_S

    async def __call__(self, network_id: str, type: ObjectType, keyword: str, account: Account) -> KeywordMatches:
        """Return the matches of the first stage that has any. Raises KnowledgeRefused."""
        if keyword == EVERY:
            return await self.stage(network_id, type, keyword, [], account)
        stages = list(stages_of(type, keyword))
        if not any(stages):
            return KeywordMatches(warnings=[UNSEARCHABLE.say(type=type.id)])
        matches, failure = KeywordMatches(), None
        for at, conditions in enumerate(stages):
            if not conditions:
                continue
            matches = await self.stage(network_id, type, keyword, conditions, account, must_be_like=at > 0)
            if matches.found:
                return matches
            failure = failure or (matches if matches.failed or matches.partial else None)
        # A stage that failed may have had the answer: "nothing found" would be a lie.
        return failure or matches

    async def stage(
        self,
        network_id: str,
        type: ObjectType,
        keyword: str,
        conditions: Sequence[Condition],
        account: Account,
        *,
        must_be_like: bool = False,
    ) -> KeywordMatches:
        """Ask for these alternatives in batches of 100 and merge the rows; without any, for every instance.

        With `must_be_like` a row is kept only where some value is like the keyword; else what the service found equal.
        """
        batches = [any_of(*conditions[at : at + BATCH]) for at in range(0, len(conditions), BATCH)]
        alternatives: list[Condition | None] = [*batches] or [None]
        limit = LOOKED_AT if must_be_like else LIMIT
        queries = [
            InstanceQuery(object_type_id=type.id, condition=condition, limit=limit, need_total=True)
            for condition in alternatives
        ]
        asked = [self.networks.instances(network_id, query, account, timeout_s=self.call_s) for query in queries]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        pages = [answer for answer in answers if isinstance(answer, InstancePage)]
        failures = [answer for answer in answers if isinstance(answer, BaseException)]
        for failure in failures:
            if not isinstance(failure, FAILURES):
                raise failure
            logger.warning("Keyword %r of %s: interface 1 failed: %s", keyword, type.id, failure)
        found = [match for match in ranked_matches(pages, type, keyword) if match.fields or not must_be_like]
        totals = [len(page.rows) if page.total_count is None else page.total_count for page in pages]
        said = PARTLY if pages else FAILED
        return KeywordMatches(
            found=found[:LIMIT],
            total=max([len(found), *(() if must_be_like else totals)]),
            warnings=[said.say(cause=cause_of(failure)) for failure in failures[:1]],
            partial=bool(failures and pages),
            failed=not pages,
        )


def ranked_matches(pages: Sequence[InstancePage], type: ObjectType, keyword: str) -> list[Match]:
    """Return the rows of all pages, each instance once, the exact ones first, then in the service's order."""
    rows: dict[str, Match] = {}
    for instance in (row for page in pages for row in page.rows):
        held = {
            one.name: values_of(value)
            for one in type.properties
            if (value := instance.properties.get(one.name)) is not None
        }
        same = [name for name, values in held.items() if any(equal(value, keyword) for value in values)]
        like = [] if same else [name for name, values in held.items() if any(is_like(v, keyword) for v in values)]
        match = Match(instance=instance, exact=bool(same), fields=tuple(same or like))
        rows.setdefault(instance_id(instance, type), match)
    return sorted(rows.values(), key=lambda match: not match.exact)


def values_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def equal(value: Any, keyword: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_of(keyword) == value
    return str(value).strip() == keyword


def is_like(value: Any, keyword: str) -> bool:
    """Return True if a text holds the keyword's characters in order or shares half of its pairs."""
    return isinstance(value, str) and (holds_in_order(value, keyword) or is_similar(value, keyword, LIKE))


def number_of(keyword: str) -> int | float | None:
    if not NUMBER.fullmatch(keyword):
        return None
    number = float(keyword)
    return int(keyword) if "." not in keyword else number if math.isfinite(number) else None


def stages_of(type: ObjectType, keyword: str) -> Iterator[list[Condition]]:
    """Give the conditions of each stage: equal; like the keyword, its form without punctuation, its longer parts."""
    # a condition may name what is not binary and has a field behind it
    usable = [one for one in type.properties if one.mapped_field != "" and (one.is_text or one.is_number)]
    values = [(one, keyword if one.is_text else number_of(keyword)) for one in usable]
    yield [
        Condition("==", one.name, value)
        for one, value in values
        if value is not None and "==" in one.condition_operations
    ]
    fields = [
        (operation, one.name)
        for one in usable
        if one.is_text
        for operation in FUZZY_OPERATIONS
        if operation in one.condition_operations
    ]
    letters = NOT_LETTERS.sub("", keyword)
    for words in ([keyword], [letters] if letters not in ("", keyword) else [], parts_of(letters)):
        yield [Condition(operation, name, word) for word in words for operation, name in fields]


def parts_of(keyword: str) -> list[str]:
    """Return the suffixes and prefixes of a keyword, the longest first: 上气道梗阻 gives 气道梗阻 and 上气道梗."""
    least = max(LEAST_PART, math.ceil(LEAST_SHARE * len(keyword)))
    return [part for size in range(len(keyword) - 1, least - 1, -1) for part in (keyword[-size:], keyword[:size])]
