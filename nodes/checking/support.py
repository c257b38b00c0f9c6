"""Whether the evidence says what a statement says: in all, with nothing added or turned round, or word for word."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from nodes.checking.claims import (
    ALIKE,
    CLAUSE_PAIRS,
    LEAST_SHARE,
    LIKELY,
    READ_CLAUSE,
    READ_LEAST,
    READ_SHARE,
    SUPPORTED_SHARE,
    SUPPORTED_SHARE_SHORT,
    DraftClaim,
    Finding,
    miscounted,
    misnamed,
    misquoted,
)
from nodes.checking.evidence import CLAUSE_END, EvidenceText, clauses, unquoted, without_ending, words_of
from nodes.checking.kinds import exclude
from nodes.checking.wordings import CLAUSE_BREAKS, CONCLUDES, HEADINGS, REFERRING_WORDS
from tools.language import HAN
from tools.story.names import NameTable
from tools.text.scripts import simplified
from tools.text.sentences import sentence_spans

BARELY = 0.15
"""Share below which, without a reader, a piece that is cited says nothing of a statement."""
_NEGATION = re.compile(
    r"[从并绝决毫尚再也还却仍]?(?:没有|未曾|不曾|[没不未无非别勿])(?P<rest>.*)"
    r"|(?:not|never|no|none|nobody|nothing|neither|nor|cannot)$"
)
ANOTHER_SHARE = 0.5
"""Share of the units of a clause that the nearest one has, from which on a word of another kind is in its place."""
_LEAST_SHARED, _MOST_OTHER = 3, 3
"""Units that two clauses must share, and may have beside, where a negation alone makes the difference."""
_IN_WORDS = (
    "左右 南北 东西 长短 高低 高矮 大小 男女 冷热 胖瘦 快慢 新旧 远近 深浅 轻重 贫富 输赢 胜败 爱恨"
    " left/right north/south northward/southward east/west long/short high/low tall/short big/small large/small"
    " man/woman early/late first/last before/after old/young alive/dead open/shut hot/cold black/white rich/poor"
    " won/lost bought/sold accepted/refused brother/sister father/mother husband/wife son/daughter more/less"
    " inside/outside above/below near/far"
)
"""Opposites, also as parts of words: the left hand and the right."""
_ALONE = "多少 先后 早晚 亮灭 买卖 黑白 生死 活死"
"""Opposites only as words of their own: 先 in 先生 is none of 后."""
_MOST_REPLACED = 2
"""Words in a row that may differ where one is an opposite."""
_QUALIFIES = re.compile(
    r"从来|一直|总是|始终|几乎|差点|险些|也许|可能|大概|或许|如果|假如|要是|倘若|据说|传说|听说|似乎|好像|仿佛|以为|应该"
    r"|[没不未无非别勿莫休否仅都全除被若谎骗梦]|(?<![一二两三四五六七八九十百千几数\d])只|[“”「」『』\"]"
    r"|n['’]t\b|\b(?:not?|never|none|nobody|nothing|neither|nor|without|hardly|scarcely|barely|only|almost|nearly|always|all"
    r"|every|perhaps|maybe|might|may|can|could|would|should|must|if|unless|except|seem\w*|appear\w*|supposed\w*|by|cannot)\b",
    re.IGNORECASE,
)
"""What turns a sentence round or weakens it: negations, degrees, doubts, the passive, another's words."""
_VOICE = re.compile(r"[把被将给让由替为对向跟和与比]|\b(?:by|was|were|is|are|been|from|to|with|and|than)\b")
"""Words that tell who does what to whom: where they differ, the order of two names does not."""
_LISTS = re.compile(r"[、和与及跟同的]|and|or|with|of|&|['’]s|")
_FIRST = re.compile(r"[，,。.;；！!？?：:]")
_Clause = tuple[str, ...]


def supported(claim: DraftClaim) -> Finding:
    share, number = claim.best
    if not claim.real:
        return _unmarked(claim)
    own = max(ground.share(claim.words) for ground in claim.cited)
    if own >= SUPPORTED_SHARE or claim.is_foreign(claim.sentence):
        return of_marks(claim)
    if share >= SUPPORTED_SHARE and own < SUPPORTED_SHARE / 2:
        return Finding("moved", [number], "unsupported")
    is_said = any(_may_say(claim, ground, BARELY) for ground in claim.cited)
    return of_marks(claim) if is_said else Finding("flagged", claim.real, "unsupported")


def _unmarked(claim: DraftClaim) -> Finding:
    share, number = claim.best
    if claim.statement.items:
        is_said = _repeats(claim)
    else:
        is_said = any(_may_say(claim, ground, LEAST_SHARE) for ground in claim.cited)
    if is_said:
        return Finding("kept", [])
    # Words of a short statement may be scattered over a piece of which no one sentence says it.
    if share >= SUPPORTED_SHARE and not (
        claim.is_short and claim.context.grounds[number - 1].nearest(claim.words)[1] < SUPPORTED_SHARE_SHORT
    ):
        return Finding("moved", [number], "unmarked")
    if claim.is_short and claim.is_known and not claim.statement.numbers:
        return Finding("kept", [])
    if CONCLUDES.search(claim.sentence):
        return _concluded(claim)
    if (claim.is_short and not claim.statement.numbers) or claim.is_foreign(claim.sentence):
        return Finding("flagged", [], "unmarked")
    may_say = number and _may_say(claim, claim.context.grounds[number - 1], LEAST_SHARE)
    return Finding("flagged", [], "unmarked") if may_say else Finding("dropped", [], "unsupported")


def _concluded(claim: DraftClaim) -> Finding:
    """Return the finding for a conclusion: no piece need say it, so that a grader must see it.

    It is flagged where no marked sentence stands before it, and where it has a number, a name or a quotation that the
    pieces cited before it lack, or turns a clause of theirs round.
    """
    there = DraftClaim(replace(claim.statement, numbers=claim.statement.before), claim.context)
    is_seen = bool(there.cited) and not claim.is_foreign(claim.sentence)
    stands = is_seen and not (
        misquoted(there) or miscounted(there) or misnamed(there) or is_contrary(nearest_clauses(there))
    )
    return Finding("kept" if stands else "flagged", [], "unmarked")


def _repeats(claim: DraftClaim) -> bool:
    """Return True if a headline has hardly a word that neither the pieces cited below it nor the question have.

    It says in few words what many say: no one sentence has it.
    """
    said = _units("\n".join([claim.context.known, *(ground.text for ground in claim.cited)]))
    own = _units(claim.sentence)
    return len(own & said) >= SUPPORTED_SHARE_SHORT * len(own)


def _units(text: str) -> set[str]:
    """Return the Chinese characters and the stems of other words of a text."""
    return {unit for words in clauses(text, tuple) for unit in map(without_ending, words)}


def may_move(claim: DraftClaim, to: Sequence[int]) -> bool:
    """Return True if a statement may get the marks of other pieces: a sentence says all of it, or the reader sees it.

    Shared words alone may be those of another person or another act.
    """
    reader = claim.context.reader
    for ground in (claim.context.grounds[number - 1] for number in to if number not in claim.real):
        nearest = ground.nearest(claim.words)[1]
        margin = reader.margin(claim.asserted, ground, claim.words) if reader else None
        is_worded = margin is None or nearest >= SUPPORTED_SHARE_SHORT
        if (is_worded and nearest < SUPPORTED_SHARE) or (margin is not None and not is_worded and margin < LIKELY):
            return False
    return True


def has_added(claim: DraftClaim) -> bool:
    """Return True if the reader sees a clause of a statement nowhere in what it cites."""
    reader = claim.context.reader
    if reader is None or not claim.cited or claim.is_foreign(claim.sentence):
        return False
    for clause in CLAUSE_BREAKS.split(unquoted(claim.asserted)):
        words = words_of(clause or "")
        rows = [(ground, ground.share(words)) for ground in claim.cited]
        if len(words) < CLAUSE_PAIRS or any(share >= ALIKE for _, share in rows):
            continue
        odds = [(reader.margin(clause, ground, words), READ_SHARE * share) for ground, share in rows]
        if all(margin is not None and margin + worth < READ_CLAUSE for margin, worth in odds):
            return True
    return False


def _may_say(claim: DraftClaim, ground: EvidenceText, least: float) -> bool:
    """Return True if a piece may say the statement: by the reader, or where it is missing by the share of words."""
    odds = claim.odds(ground)
    return ground.share(claim.words) >= least if odds is None else odds >= READ_LEAST


def of_marks(claim: DraftClaim) -> Finding:
    """Return the finding for a statement of which only invented marks are at fault, if any."""
    if claim.real == list(claim.statement.numbers):
        return Finding("kept", claim.real)
    return Finding("moved", claim.real, "unmarked")


def of_label(claim: DraftClaim) -> Finding:
    """Return the finding for a heading, a bold line or the head of a table.

    A short one that has no word of the evidence states nothing of it. Another one may say no more, beside words of
    headings, than the evidence and the question, and may name nobody who is not there.
    """
    doubt = misnamed(claim)
    if doubt and doubt.action != "kept":
        return Finding("flagged", (), "name")
    is_general = not any(claim.words & ground.words for ground in claim.context.grounds)
    if is_general and claim.is_short:
        return Finding("kept", ())
    own = _units(HEADINGS.sub(" ", claim.sentence))
    said = _units("\n".join([claim.context.known, *(ground.text for ground in claim.context.grounds)]))
    return (
        Finding("kept", ())
        if len(own & said) >= SUPPORTED_SHARE_SHORT * len(own)
        else Finding("flagged", (), "unmarked")
    )


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause beside another one: its words without those that negate, and how many of them negate."""

    words: Sequence[str]
    negations: int

    @property
    def units(self) -> list[str]:
        """Its Chinese characters and other words."""
        return [unit for word in self.words for unit in (word if HAN.match(word) else [word])]


ClausePair = tuple[Clause, Clause]


def is_contrary(pairs: Iterable[ClausePair]) -> bool:
    """Return True if a clause of a statement turns the clause round that is nearest to it in what it cites."""
    return any(_is_reversed(*pair) for pair in pairs)


def has_another(claim: DraftClaim, pairs: Iterable[ClausePair]) -> bool:
    """Return True if a statement has a word of one kind where the nearest clause of what it cites has another.

    Another day, relative, colour or place, which the cited pieces have nowhere.
    """
    said = simplified("\n".join(ground.text for ground in claim.cited)).casefold()
    for clause, other in pairs:
        if _shared(clause, other) >= ANOTHER_SHARE * len(clause.units) and _negates_alike(clause, other):
            replaced = _replaced(clause.words, other.words, _MOST_REPLACED)
            if any(one not in said and exclude(one, two) for one, two in replaced):
                return True
    return False


def has_exchanged(claim: DraftClaim) -> bool:
    """Return True if a clause has two names in each other's place: a clause of what it cites says it the other way."""
    table = claim.context.table
    cited = [part for ground in claim.cited for sentence, _ in ground.sentences for part in CLAUSE_END.split(sentence)]
    for clause in CLAUSE_END.split(unquoted(claim.asserted)):
        names, rest = _names_in(clause, table)
        words = words_of(rest)
        for other, beside in (_names_in(part, table) for part in cited if len(names) == 2 and words):
            is_same = _VOICE.findall(rest) == _VOICE.findall(beside)
            if other == names[::-1] and is_same and len(words & words_of(beside)) >= SUPPORTED_SHARE * len(words):
                return True
    return False


def _names_in(clause: str, table: NameTable) -> tuple[list[str], str]:
    """Return the entities that a clause names, each once and in order, and the clause without them.

    Of names in a list, or of one that belongs to another, the order says nothing.
    """
    found = table.find(clause)
    names = [one.candidates[0].entity for one in found if len(one.candidates) == 1]
    between = [clause[one.end : other.start].strip() for one, other in pairwise(found)]
    rest = clause
    for one in reversed(found):
        rest = f"{rest[: one.start]} {rest[one.end :]}"
    is_plain = len(names) == len(found) == len(set(names)) and not any(map(_LISTS.fullmatch, between))
    return (names if is_plain else []), rest


def nearest_clauses(claim: DraftClaim) -> list[ClausePair]:
    """Return each clause of a statement beside the clause that is nearest to it in what it cites."""
    segment = claim.context.segment
    sentences = [sentence for ground in claim.cited for sentence, _ in ground.sentences]
    cited = [words for sentence in sentences for words in clauses(sentence, segment)]
    if not cited:
        return []
    # That which shares most with it, of those the shortest that negates as often.
    return [
        max(
            ((_beside(words, other), _beside(other, words)) for other in cited),
            key=lambda pair: (_shared(*pair), _negates_alike(*pair), -len(pair[1].units)),
        )
        for words in clauses(unquoted(claim.asserted), segment)
    ]


def _beside(words: Sequence[str], others: Sequence[str]) -> Clause:
    """Return a clause beside another one.

    A word that only begins like a negation is one where the other text has the rest of it, and has it as often.
    """
    text, other = "".join(words), "".join(others)
    left, negations = list[str](), 0
    for word in words:
        match = _NEGATION.match(word)
        rest = (match["rest"] or "") if match else ""
        is_negation = match is not None and text.count(rest) * bool(rest) <= other.count(rest)
        left.append(rest if is_negation else without_ending(word))
        negations += is_negation
    return Clause([word for word in left if word], negations)


def _shared(clause: Clause, other: Clause) -> int:
    return (Counter(clause.units) & Counter(other.units)).total()


def _negates_alike(clause: Clause, other: Clause) -> bool:
    return clause.negations % 2 == other.negations % 2


def _is_reversed(clause: Clause, other: Clause) -> bool:
    size, shared = len(clause.units), _shared(clause, other)
    # An opposite in the place of the other: one character, or a word or two.
    has_opposite = any(pair in IN_WORDS for pair in _replaced(clause.units, other.units, 1)) or any(
        map(_is_opposite, _replaced(clause.words, other.words, _MOST_REPLACED))
    )
    if shared >= ALIKE * size and has_opposite:
        return _negates_alike(clause, other)
    is_close = shared >= _LEAST_SHARED and size + len(other.units) - 2 * shared <= _MOST_OTHER
    return is_close and not _negates_alike(clause, other)


def _is_opposite(pair: tuple[str, str]) -> bool:
    """Return True for opposites, also as the one part in which two words differ."""
    differing = [(one, two) for one, two in zip(*pair, strict=False) if one != two]
    is_alike = len(pair[0]) == len(pair[1]) and len(differing) == 1
    return pair in IN_WORDS or pair in ALONE or (is_alike and differing[0] in IN_WORDS)


def _replaced(units: Sequence[str], others: Sequence[str], most: int) -> Iterator[tuple[str, str]]:
    """Yield what stands in the place of what, from both ends, where no more than so many units differ."""
    for kind, start, end, first, last in SequenceMatcher(None, units, others, autojunk=False).get_opcodes():
        if kind == "replace" and max(end - start, last - first) <= most:
            yield from ((units[start], others[first]), (units[end - 1], others[last - 1]))


def _opposites(pairs: str) -> Iterator[tuple[str, str]]:
    for pair in pairs.split():
        one, other = map(without_ending, pair.split("/") if "/" in pair else pair)
        yield from ((one, other), (other, one))


IN_WORDS, ALONE = frozenset(_opposites(_IN_WORDS)), frozenset(_opposites(_ALONE))


def are_vouched(claims: Sequence[DraftClaim]) -> bool:
    """Return True if pieces that statements cite have them word for word.

    Where one begins by pointing at something said before, its words do not tell who is meant: then all must be of one
    piece, which says it in its own order.
    """
    refer = any(REFERRING_WORDS.search(_FIRST.split(claim.sentence, maxsplit=1)[0]) for claim in claims)
    is_one = len({number for claim in claims for number in claim.shown_by}) == 1
    return (is_one or not refer) and all(any(_has(ground, claim) for ground in claim.cited) for claim in claims)


def _has(ground: EvidenceText, claim: DraftClaim) -> bool:
    """Return True if a sentence of a piece, or its row whole, has the clauses of a statement and qualifies alike."""
    words, marked = _flat(_clauses(claim.sentence)), _qualifiers(claim.sentence)
    if not words:
        return False
    if "value" in ground.piece:
        return marked == _qualifiers(ground.text) and words == _flat(_clauses(ground.text))
    sentences = (ground.text[start:end] for start, end in sentence_spans(ground.text))
    return any(marked == _qualifiers(one) and _is_run(words, _clauses(one)) for one in sentences)


def _is_run(words: _Clause, sentence: Sequence[_Clause]) -> bool:
    """Return True if words are those of clauses of a sentence that follow each other."""
    count = len(sentence)
    return any(words == _flat(sentence[start:end]) for start in range(count) for end in range(start + 1, count + 1))


def _clauses(text: str) -> list[_Clause]:
    """Return the words of each clause: Chinese characters, stems of other words, figures; light words left out."""
    return [tuple(map(without_ending, words)) for words in clauses(text, tuple)]


def _flat(parts: Sequence[_Clause]) -> _Clause:
    return tuple(word for part in parts for word in part)


def _qualifiers(text: str) -> Counter[str]:
    return Counter(match[0].casefold() for match in _QUALIFIES.finditer(simplified(text)))
