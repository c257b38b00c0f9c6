"""The verdict of the mind without a model: five dimensions by five signs, and what is missing, in words and queries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nodes.checking.evidence import numbers_of
from nodes.citations import cited_pieces, letters, plain_text
from nodes.grade import VERIFIED_CONFIDENCE, failed_gates
from nodes.policy import DIMENSION_MAX
from nodes.roles import AnswerReader, GradeRequest, Verdict
from state.draft import Draft, QuestionType, Scores, Sentence
from state.schema import Evidence
from tools.dispatch import STOP
from tools.documents.query_table import ROW
from tools.evidence import is_meeting
from tools.networks.words import blanked
from tools.story.names import EntityLinker, NameTable, fold
from tools.text.scripts import simplified
from tools.text.sentences import TIMED
from wenmai.minds.offline.documents.asking import said_share
from wenmai.minds.offline.questions.parts import PARTS, parts_of
from wenmai.minds.offline.questions.question import (
    ABOUT_THE_BOOK,
    GRADER_TYPES,
    ParsedQuestion,
    QuestionParts,
    content_words,
    naming,
    understood,
)
from wenmai.minds.offline.questions.speech import quoted_in, unquoted
from wenmai.minds.offline.reading import EXTRACT, REFUSAL, Read, SentencePicker, chance, least_chance, read
from wenmai.minds.offline.scoring import stated_probability
from wenmai.minds.offline.wordings import say

SUBSTANCE = 0.5
"""Share of depth that what a draft says has, beside how surely it answers."""
SHALLOW = 0.25
"""The most depth, of 1, of a relation of which only talk is known, of an amount without a number, and of an answer
without a model that is more likely wrong than right: none of them passes."""
WHOLE_HISTORY, NEW_WORDS = 3, 6
"""Events of a history, and words that are not the question's, from which on there is nothing wanting.

`SUBSTANCE` and this were fitted to half of 289 answers of two sets of questions, and checked on the others.
"""
OFFLINE = "offline"  # who judges, as results name it
FOUND_NOTHING = 5
"""Points for tools where calls succeeded and found nothing."""
Lacking = Literal["offline.grading.events", "offline.grading.amount"]


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The sentences of a draft that answer, their text, and the evidence that they cite."""

    sentences: Sequence[Sentence]
    text: str
    cited: Sequence[Evidence]

    @classmethod
    def of(cls, request: GradeRequest) -> "JudgedAnswer":
        sentences = [one for one in request.draft["sentences"] if one["role"] == "answer"]
        return cls(sentences, plain_text(sentences), cited_pieces(sentences, request.evidence))


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A part of a question: if and how surely it is answered, and what share of its names and words the answer says.

    An answer about the book as a whole need not say them, `said_share` is None.
    """

    question: ParsedQuestion
    probability: float
    is_answered: bool
    said_share: float | None

    @property
    def completeness(self) -> float:
        return self.is_answered * (self.probability if self.said_share is None else self.said_share)


@dataclass(frozen=True, slots=True)
class ReaderGrader:
    """Scores a draft by how probable it is, by its writer or as the reader finds it, and by what it says."""

    linker: EntityLinker
    reader: Callable[[], AnswerReader | None]

    async def grade(self, request: GradeRequest) -> Verdict:
        """Return five scores.

        Evidence is how surely the cited pieces answer the question's parts; completeness is what the answer says of
        each part that it answers; depth is half what the type of the question asks for, half how surely it
        answers; citation is the share of lines with a mark that code does not doubt; tools count by what their calls
        found. Without a reader nothing is claimed but shared words.
        """
        request = replace(request, question=simplified(request.question))
        table = await self.linker.table(request.library, request.horizon)
        question, lines = understood(request.question, table), lines_of(request.draft)
        answer = JudgedAnswer.of(request)
        parts = await self._judged(request, question, table, answer, first_cited(lines, request.evidence))
        probability = sum(part.probability for part in parts) / len(parts)
        complete = sum(part.completeness for part in parts) / len(parts)
        substance, lacking = substance_of(answer, question, len(parts))
        substance *= sum(part.is_answered for part in parts) / len(parts)
        is_shallow = lacking or (request.draft["by"] == "rules" and probability < VERIFIED_CONFIDENCE)
        depth = min((1 - SUBSTANCE) * probability + SUBSTANCE * substance, SHALLOW if is_shallow else 1.0)
        if not self.reader():
            complete, depth = min(complete, probability), min(depth, probability)
        citing = citing_lines(lines, request)
        is_refusal = request.draft["refused"] == "own_words"
        calls = [call for call in request.calls if call["ok"] and call["executed"] and call["tool"] != STOP]
        has_found = any(call["items"] or call["evidence"] for call in calls)
        scores = Scores(
            tool_usage=DIMENSION_MAX if has_found else FOUND_NOTHING * bool(calls),
            evidence=_points(probability),
            completeness=_points(complete),
            citation=_points(len(citing) / len(lines)) if lines else 0,
            depth=_points(depth),
        )
        unanswered = [part.question.text for part in parts if not part.is_answered] if len(parts) > 1 else []
        missing = [say("offline.grading.part", request.language, part=one) for one in unanswered]
        missing += [say(lacking, request.language)] if lacking else []
        missing += [say("offline.grading.unmarked", request.language)] if len(citing) < len(lines) else []
        total = sum(scores.values())  # type: ignore[arg-type]  # the values of Scores are integers
        if not missing and failed_gates(scores, total, request.language, 0):
            missing = [say("offline.grading.unlikely", request.language)]
        return Verdict(
            question_type=type_of(question),
            scores=scores,
            reason=f"reader: {probability:.2f}",
            suggestion=" ".join(missing) if request.language == "en" else "".join(missing),
            hallucination_detected=any(
                one["reason"] == "contradicted" and one["action"] == "flagged" for one in request.draft["notes"]
            ),
            confidence=round(await self._absent(request, question, table) if is_refusal else probability, 2),
            queries=unanswered,
            by=OFFLINE,
        )

    async def _judged(
        self,
        request: GradeRequest,
        question: ParsedQuestion,
        table: NameTable,
        answer: JudgedAnswer,
        first: Sequence[Evidence],
    ) -> list[JudgedPart]:
        """Return the parts of a question as the draft answers them; `first` is the evidence of its first line."""
        parts = parts_of(question, table)
        answer_text = "\n".join([answer.text, *answering_rows(answer)])
        shares = [said_of_question(part, table, answer_text) for part in parts]
        stated = stated_probability(question, request.evidence, first)
        if len(parts) == 1 or stated is not None or not answer.cited:
            whole = request.draft["confidence"]
            if whole is None:
                whole = await self._probability(request, question, table, first, stated)
            is_answered = whole >= min((least_chance(piece, answer.text) for piece in first), default=REFUSAL)
            return [JudgedPart(part, whole, is_answered, share) for part, share in zip(parts, shares, strict=True)]
        judged = list[JudgedPart]()
        for part, share in zip(parts, shares, strict=True):
            found = [one for one in await self._read(part, table, answer.cited) if is_said(one, answer.text)]
            likely = self._claimed(chance(part.text, one) for one in found)
            judged.append(JudgedPart(part, likely, any(one.answers(part.text) for one in found), share))
        return judged

    async def _absent(self, request: GradeRequest, question: ParsedQuestion, table: NameTable) -> float:
        """Return how surely nothing of the evidence answers, as a model's refusal says."""
        found = await self._read(question, table, request.evidence)
        return 1 - max((chance(question.text, one) for one in found), default=0.0) if self.reader() else 1 - EXTRACT

    async def _probability(
        self,
        request: GradeRequest,
        question: ParsedQuestion,
        table: NameTable,
        first: Sequence[Evidence],
        stated: float | None,
    ) -> float:
        """Return how surely the first line of a model's draft answers."""
        is_doubted = any(one["action"] == "flagged" for one in request.draft["notes"])  # its pieces may not say it
        if not first or (stated is not None and not is_doubted):
            return stated or 0.0
        recalled = [piece["score"] or 0.0 for piece in first if piece["kind"] == "memory"]
        found = await self._read(question, table, first)
        return self._claimed([*(chance(question.text, one) for one in found), *recalled])

    async def _read(self, question: ParsedQuestion, table: NameTable, pieces: Sequence[Evidence]) -> list[Read]:
        return await read(self.reader() or SentencePicker(), question.text, QuestionParts.of(question, table), pieces)

    def _claimed(self, probabilities: Iterable[float]) -> float:
        """Return the best probability, as far as it may be claimed."""
        best = max(probabilities, default=0.0)
        return best if self.reader() else min(best, EXTRACT)


def citing_lines(lines: Iterable[Sequence[Sentence]], request: GradeRequest) -> list[Sequence[Sentence]]:
    """Return the lines that cite evidence, and of which code doubts no sentence."""
    certain = (line for line in lines if not any(one.get("doubtful") for one in line))
    return [line for line in certain if cited_pieces(line, request.evidence)]


def first_cited(lines: Iterable[Sequence[Sentence]], evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence of the first line that cites any."""
    return next(filter(None, (cited_pieces(line, evidence) for line in lines)), [])


def answering_rows(answer: JudgedAnswer) -> list[str]:
    """Return the rows of tables whose values are the answer: who or what a value is of, its row says."""
    values = [letters(plain_text([one])) for one in answer.sentences]
    rows = [row for piece in answer.cited for row in piece["text"].split("\n") if ROW.match(row)]
    return [row for row in rows if any(value and value in letters(row) for value in values)]


def said_of_question(question: ParsedQuestion, table: NameTable, answer_text: str) -> float | None:
    """Return the share of a question's names and words that an answer says, None for what it need not say."""
    if question.kind in ABOUT_THE_BOOK:
        return None
    answer_text = simplified(answer_text)
    named = [float(bool(naming(name, table).search(fold(answer_text)))) for name in question.entities]
    words = content_words(blanked(question.text, question.mentions))
    count = sum(named) + len(words) * said_share(words, answer_text)
    return count / (len(named) + len(words)) if named or words else None


def type_of(question: ParsedQuestion) -> QuestionType:
    is_detail = bool(PARTS["words_said"].search(unquoted(question.text)))
    return GRADER_TYPES.get(question.kind, "detail" if is_detail else "fact")


def substance_of(answer: JudgedAnswer, question: ParsedQuestion, parts: int) -> tuple[float, Lacking | None]:
    """Return 0..1: how far a draft has what the type of its question asks for, and what it lacks altogether.

    A relation needs more than that two spoke, and words of a text; a history its stages, an amount a number, what was
    said the quotation; any other answer tells more than the question does.
    """
    kind = type_of(question)
    if kind == "relation":
        telling = [piece for piece in answer.cited if not is_meeting(piece)]
        verbatim = [piece for piece in telling if "edge" not in piece or piece.get("quote")]
        return (min(1.0, (len(telling) + len(verbatim)) / 2), None) if telling else (0.0, "offline.grading.events")
    if kind == "journey":
        return min(1.0, len(answer.sentences) / WHOLE_HISTORY), None
    if PARTS["amount"].search(unquoted(question.text)):
        known = [number.value for number in numbers_of(question.text)]
        said = TIMED.sub("", answer.text)  # the time of a message is no amount
        is_counted = any(number.value not in known for number in numbers_of(said))
        return (1.0, None) if is_counted else (0.0, "offline.grading.amount")
    if kind == "detail" and quoted_in(answer.text):
        return 1.0, None
    question_text = fold(simplified(question.text))
    new = [word for word in content_words(simplified(answer.text)) if fold(word) not in question_text]
    return min(1.0, len(new) / (NEW_WORDS * parts)), None


def is_said(found: Read, answer_text: str) -> bool:
    """Return True if what was read is what an answer says."""
    return letters(found.answer) in letters(answer_text)


def lines_of(draft: Draft) -> list[list[Sentence]]:
    """Return the sentences of each line, but for what is said of the answer itself."""
    lines: list[list[Sentence]] = [[]]
    for one in draft["sentences"]:
        lines[-1] += [one] if one["role"] != "notice" else []
        if "\n" in one["text"]:
            lines.append([])
    return [line for line in lines if any(one["text"].strip() for one in line)]


def _points(share: float) -> int:
    return round(DIMENSION_MAX * share)
