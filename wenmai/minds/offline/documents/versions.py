"""Which of several answers is valid: the later one on the same matter; both sides where a question compares them."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from state.context import Language
from state.draft import Sentence
from state.schema import Evidence
from tools.documents.search import document_id
from tools.text.numerals import parse_number
from tools.text.scripts import bigrams
from tools.text.sentences import TIMED
from wenmai.language.lexicon import patterns
from wenmai.minds.offline.drafting import SEE_ALSO, cited_line
from wenmai.minds.offline.reading import Read, calibrated, chance
from wenmai.minds.offline.wordings import say, sentence

RIVAL = 0.5
"""Share of the first answer's probability from which on a later sentence answers the same question."""
CHANGED_RIVAL = 0.3
"""The same where the later file, or the later note of a day, says on that line that something has changed."""
ALIKE = 0.5
"""Share of the bigrams of the shorter sentence from which on two sentences speak of the same matter."""
MOST_OLDER = 1
PATTERNS = patterns("wenmai.minds.offline.documents", "versions.toml")
_NUMBER = re.compile(r"\d+")
_MONTH = re.compile(r"(?<![\d一二三四五六七八九十])([一二三四五六七八九十]{1,2})(?=月)")
_DAY = re.compile(r"(?:19|20)\d\d(?:-\d{1,2}-\d{1,2}|年\d{1,2}月\d{1,2}[日号])")  # the name of a note of a day
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_VERSION = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?:\d{4}|[-_.年]\d{1,2}(?:[-_.月]\d{1,2}日?)?|年)?(?!\d)"
    r"|(?:(?<![^\W_])(?:v|ver|version|rev|revision|draft|edition)|版本?|修订|稿)[\s._-]*\d+(?:\.\d+)*[版稿]?|\d+(?:\.\d+)*[版稿]",
    re.IGNORECASE,
)
"""What the name of a file says of its version, or of its time; the number of a chapter or an invoice is neither."""
OF_ANOTHER_YEAR = 0.4
"""The most that is claimed of an answer from a file that is called by another year than the one that is asked for."""
Moment = tuple[str, str, tuple[int, ...]]


@dataclass(frozen=True)
class DatedRead:
    """A read with its place in time: day and time, and the numbers in the name of its file."""

    read: Read

    @cached_property
    def day(self) -> str:
        """The day that its place names, as ISO writes it; '' without one."""
        return next(
            (
                first
                for first, _, has_year in _spans(self.read.piece["location"] or self.read.piece["title"] or "")
                if has_year
            ),
            "",
        )

    @property
    def years(self) -> list[str]:
        """The years in the name of a document, of which it is."""
        return _YEAR.findall(_stem(self.read.piece)) if self.read.piece["kind"] == "document" else []

    def is_of_another_year(self, spans: Sequence[tuple[str, str, bool]]) -> bool:
        """Return True if a document is called by a year, and neither it nor the sentence is of one that is asked."""
        asked = [one for one in spans if one[2]]
        said = {year for one in asked for year in (one[0][:4], one[1][:4])}
        is_said = any(year in self.read.sentence for year in said)
        return bool(asked and self.years) and not (is_said or any(is_within(self, one) for one in asked))

    @property
    def is_of_documents(self) -> bool:
        """True where a later text may be the valid one: a document, a message, a note that is called as its day."""
        is_passage = self.read.piece["kind"] == "passage"
        is_note = is_passage and _DAY.match(self.read.piece["title"] or "") is not None
        return self.read.piece["kind"] == "document" or is_note or TIMED.search(self.read.sentence) is not None

    @cached_property
    def moment(self) -> Moment:
        time = TIMED.search(self.read.sentence)
        return self.day, time[0].strip("()") if time else "", tuple(map(int, _NUMBER.findall(_stem(self.read.piece))))

    def is_later(self, other: "DatedRead") -> bool:
        """Return True if both are of one text, or of versions of one, and this one is later."""
        own, others = self.read.piece, other.read.piece
        is_same = document_id(own) == document_id(others)
        if bool(self.day) != bool(other.day) or not (is_same or are_versions(own, others)):
            return False
        (day, time, numbers), (other_day, other_time, other_numbers) = self.moment, other.moment
        if day != other_day or (day and is_same):
            return (day, time) > (other_day, other_time)
        return numbers > other_numbers


def _stem(piece: Evidence) -> str:
    return (piece["source"] or "").rpartition(".")[0]


def are_versions(own: Evidence, other: Evidence) -> bool:
    """Return True for two files with one name but for version or time, two notes of days, or files with one title."""
    title = _title(own)
    return have_one_name(own, other) or (bool(title) and title == _title(other))


def have_one_name(own: Evidence, other: Evidence) -> bool:
    """Return True for two files with one name but for version or time, and two notes of days.

    Files that only numbers name, 1.pdf and 2.pdf or 2023.pdf and 2024.pdf, have no such name.
    """
    first, second = (_VERSION.sub("", _stem(one)).casefold() for one in (own, other))
    return first == second and (any(map(str.isalpha, first)) or all(_DAY.fullmatch(_stem(one)) for one in (own, other)))


def _title(piece: Evidence) -> str:
    """Return the outermost heading above a chunk, '' where its place is but a page, a sheet or lines."""
    place = piece["location"] or ""
    return next((one for one in piece.get("table", "").split("\n") if one and place.startswith(one)), "")


def _spans(text: str) -> list[tuple[str, str, bool]]:
    """Return the days, months and years that a text names: first and last day, and whether a year is named."""
    from tools.text.dates import dates_in  # its patterns cost a start 25 ms

    digits = _MONTH.sub(lambda match: str(parse_number(match[1]) or match[1]), text)
    found = [(one.first.isoformat(), one.last.isoformat(), one.year) for one in dates_in(digits)]
    with_year = {first[:4] for first, _, has_year in found if has_year}
    years = [year for year in _YEAR.findall(digits) if year not in with_year]
    return [*found, *((f"{year}-01-01", f"{year}-12-{monthrange(int(year), 12)[1]}", True) for year in years)]


def is_within(dated: DatedRead, span: tuple[str, str, bool]) -> bool:
    """Return True for a day, or a year of a file's name, within a span; a day without a year recurs."""
    first, last, has_year = span
    if not dated.day:
        return any(first[:4] <= year <= last[:4] for year in dated.years) and has_year
    day = dated.day if has_year else dated.day[4:]
    return bool(day) and (first if has_year else first[4:]) <= day <= (last if has_year else last[4:])


def of_year_first(question: str, reads: Sequence[Read]) -> list[Read]:
    """Return reads, those of documents of another year than a question names behind all that answer.

    Of them less than a half is claimed; a span of years may well be answered from a file of one between.
    """
    spans = _spans(question)
    others = [one for one in reads if DatedRead(one).is_of_another_year(spans)]
    if not others or compares(question) or PATTERNS["bounded"].search(question):
        return list(reads)
    own = [one for one in reads if one not in others]
    last = [replace(one, most=OF_ANOTHER_YEAR) for one in others]
    return sorted([*own, *last], key=lambda one: (not one.answers(question), one.most < 1))


def compares(question: str) -> bool:
    return PATTERNS["compared"].search(question) is not None


def version_lines(question: str, reads: Sequence[Read], language: Language) -> list[Sentence]:
    """Return the valid answer and the one that it replaces, as such; [] where nothing replaces the first answer.

    A question that names a time is answered as of it, one that compares by both sides, the older first.
    """
    every = [DatedRead(one) for one in reads]
    dated = [one for one in every if one.is_of_documents]
    if not dated or dated[0] is not every[0]:
        return []
    chain = matter(question, dated)
    # A message, and a line of a diary, has its day above it: who asks when something was said wants it.
    is_day_asked = TIMED.search(dated[0].read.sentence) is not None and bool(dated[0].day)
    if PATTERNS["when"].search(question) and is_day_asked and not PATTERNS["day"].search(dated[0].read.answer):
        return [side_line(dated[0], language)]
    if len(chain) < 2:
        return []
    if compares(question):
        return [side_line(one, language) for one in (chain[0], chain[-1])]
    spans = _spans(question)
    named = [one for one in chain if any(is_within(one, span) for span in spans)]
    is_past = PATTERNS["past"].search(question) is not None
    valid = (named or (chain[:1] if is_past else chain))[-1]
    others = [one for one in chain if one is not valid]
    key = "offline.documents.older" if chain[-1] is valid else "offline.documents.newer"
    shown = others[-MOST_OLDER:]
    lines = [Sentence(**{**_line(key, one, language), "role": "see_also"}) for one in shown]
    return [cited_line(valid.read), *lines]


def matter(question: str, dated: Sequence[DatedRead]) -> list[DatedRead]:
    """Return the first read and what replaces it or is replaced by it, the oldest first."""
    best = dated[0]
    chain = [best]
    for one in dated[1:]:
        is_ordered = one.is_later(best) or best.is_later(one)
        if is_ordered and one.read.sentence != best.read.sentence and _is_same_matter(question, best, one):
            chain.append(one)
    return sorted(chain, key=lambda one: one.moment)


def _is_same_matter(question: str, best: DatedRead, one: DatedRead) -> bool:
    """Return True if one read answers what the best one does.

    Within a text, where a diary goes on to other things, it must say so: in the same words, or as a change.
    """
    first, second = best.read, one.read
    is_changed = one.is_later(best) and bool(PATTERNS["changed"].search(_line_of(second)))
    share = _likely(question, second) / _likely(question, first)
    is_other = document_id(first.piece) != document_id(second.piece)
    is_other_note = first.piece["kind"] == "passage" and first.piece["title"] != second.piece["title"]
    if share >= RIVAL and (is_changed or is_other):
        return True
    if share >= CHANGED_RIVAL and is_changed and (is_other or is_other_note):
        return True
    grams = [bigrams(TIMED.sub("", text.sentence)) for text in (first, second)]
    if calibrated(second.score) >= SEE_ALSO and len(grams[0] & grams[1]) >= ALIKE * max(1, min(map(len, grams))):
        return True
    return is_changed and _has_kind(first, second)


def _likely(question: str, read: Read) -> float:
    return chance(question, read) if read.piece["kind"] == "passage" else calibrated(read.score)


def _line_of(read: Read) -> str:
    """Return the sentence with those before it on its line, in which it may be said that something has changed."""
    text = read.piece["text"]
    at = text.find(read.sentence)
    return text[text.rfind("\n", 0, max(0, at)) + 1 : at] + read.sentence if at >= 0 else read.sentence


def _has_kind(first: Read, second: Read) -> bool:
    """Return True if what one read answers, a day, an hour, a sum, stands in the other one's sentence as well."""
    kinds = [name for name in ("day", "clock", "money") if PATTERNS[name].search(TIMED.sub("", first.answer))]
    return any(PATTERNS[name].search(TIMED.sub("", second.sentence)) for name in kinds)


def side_line(dated: DatedRead, language: Language) -> Sentence:
    """Return a sentence behind the day, or the file, that it is of."""
    return _line("offline.documents.side", dated, language)


def _line(key: str, dated: DatedRead, language: Language) -> Sentence:
    place = dated.day or dated.read.piece["source"] or ""
    return sentence(say(key, language, when=place), cited_line(dated.read))
