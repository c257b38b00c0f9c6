"""The draft of an attempt: what the reader points at in the best evidence, put together as the question asks for it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nodes.roles import AnswerReader, PlanRequest
from state.draft import Draft, Sentence
from state.schema import Evidence
from tools.evidence import is_meeting
from tools.messages import say_in
from tools.story.names import NameTable
from tools.text.sentences import on_one_line
from wenmai.minds.offline.book import LINES, asks_of_book, ending_lines, meeting_lines
from wenmai.minds.offline.counting import (
    COUNTED,
    asks_mentions,
    asks_times,
    counted_words,
    mention_lines,
    says_times,
)
from wenmai.minds.offline.documents.asking import admitted, names_files
from wenmai.minds.offline.documents.changes import change_lines
from wenmai.minds.offline.documents.listing import (
    IN_PART,
    has_all_tasks,
    listing,
    mention_listing,
    task_lines,
    term_lines,
)
from wenmai.minds.offline.documents.messages import message_lines
from wenmai.minds.offline.documents.table_answers import table_lines
from wenmai.minds.offline.documents.tables import is_row_asked
from wenmai.minds.offline.documents.versions import compares, of_year_first, version_lines
from wenmai.minds.offline.drafting import (
    answer_lines,
    cited_line,
    deed_lines,
    distinct_reads,
    draft_from,
    events_asked,
    events_told,
    first_cited,
    history_lines,
    in_order,
    nearest_lines,
    refusal_draft,
    relation_lines,
    see_also,
    see_also_line,
    surest,
)
from wenmai.minds.offline.follow_ups.names import TalkReader
from wenmai.minds.offline.memories import SURE, asks_memories, remembered
from wenmai.minds.offline.questions.parts import parts_of
from wenmai.minds.offline.questions.question import HISTORIES, ParsedQuestion, QuestionParts
from wenmai.minds.offline.questions.speech import asks_speaker, holding, likeliest_speech, quoted_in
from wenmai.minds.offline.reading import (
    EXTRACT,
    REFUSAL,
    STATED,
    Read,
    SentencePicker,
    chance,
    claim,
    least_chance,
    no_reader,
    read,
)
from wenmai.minds.offline.scoring import ReadingRanker, stated_probability
from wenmai.minds.offline.unknown_names import UnknownName, unknown_name
from wenmai.minds.offline.wordings import cited, say, sentence
from wenmai.reader.layout import NameKind

UNKNOWABLE = 0.5
"""How sure it is that nothing answers what only a model could tell."""
NOT_COUNTED = "offline.counting.not_counted"
LEAST_QUOTED, MOST_CHUNKS = 6, 4
"""Characters of quoted words that a passage must have; chunks of documents that are read beside other evidence."""


@dataclass(frozen=True, slots=True)
class Composer:
    ranker: ReadingRanker
    reader: Callable[[], AnswerReader | None]
    names: Callable[[], TalkReader | None] = no_reader

    async def draft(self, request: PlanRequest, question: ParsedQuestion, table: NameTable) -> Draft:
        """Return the sentences that answer, or the refusal; without the reader a notice says so."""
        found = await self._found(request, question, table)
        if found["status"] != "answer":
            return found
        lines = found["sentences"]
        cited = first_cited([one for one in lines if one["role"] == "answer"], request.evidence)
        recorded = stated_probability(question, request.evidence, cited)
        confidence = self._claimed(found["confidence"] or 0.0) if recorded is None else recorded
        if not self.reader():
            lines = [*lines, {**sentence(say("offline.reading.no_reader", request.language)), "role": "notice"}]
        return draft_from(lines, confidence)

    async def _found(self, request: PlanRequest, question: ParsedQuestion, table: NameTable) -> Draft:
        """Return the first that answers: lists, memories, the whole book, speeches, orders, reading."""
        if listed := await self._listed(request):
            return listed
        if asks_memories(request):  # a story does not know what its reader said
            memories = [piece for piece in request.evidence if piece["kind"] == "memory"]
            reader, question_text = self.reader() or SentencePicker(), request.resolved
            found = await remembered(reader, question_text, memories, request.language, request.today)
            is_elsewhere = bool(question.entities) or any(one["kind"] == "document" for one in request.evidence)
            if found or not is_elsewhere:
                return found or await self.refusal(replace(request, evidence=memories), question, table)
        if asks_of_book(request, question):
            return await self._of_book(request, question, table)
        if request.library and asks_mentions(question.text) and (counted := await self._counted_name(question)):
            lines = await mention_lines(self.ranker.passages, request, question, counted, table)
            return draft_from(lines, COUNTED) if lines else await self.refusal(request, question, table)
        if name := await unknown_name(self.names(), self.ranker.passages, request, question, table):
            return await self.refusal(request, question, table, unknown=name)
        pieces = await self.best(request, question)
        if words := asks_speaker(question.text):
            return await self._speaker(request, question, table, words, pieces)
        if events := events_asked(question.text):
            told = await events_told(self.reader() or SentencePicker(), events, table, pieces, request.language)
            likely = min((one.probability for _, one in told), default=0.0)
            lines = in_order(told, request.language)
            return draft_from(lines, likely) if lines else await self.refusal(request, question, table)
        parts = parts_of(question, table) if request.queries else []
        if len(parts) > 1 and (found := await self._of_parts(request, question, parts, table)):
            return found
        return await self._read(request, question, table, pieces)

    async def _listed(self, request: PlanRequest) -> Draft | None:
        """Return the files, message, changes or open tasks that a question asks for, None where it asks for none."""
        listed = listing(request) or mention_listing(request) or await message_lines(self.ranker.passages, request)
        if lines := listed or change_lines(request):
            return draft_from(lines, STATED)
        if lines := task_lines(request):
            return draft_from(lines, STATED if await has_all_tasks(self.ranker.passages, request) else IN_PART)
        return None

    async def _of_book(self, request: PlanRequest, question: ParsedQuestion, table: NameTable) -> Draft:
        """Return what the book tells as a whole; what was left open nobody can tell without a model."""
        if question.kind == "open":
            near: list[Sentence] = [{**one, "role": "see_also"} for one in ending_lines(request)]
            return refusal_draft(request, "unlikely", UNKNOWABLE, say("offline.chapters.open", request.language), near)
        lines = LINES[question.kind](request, question, table)
        return draft_from(lines, 0.0) if lines else await self.refusal(request, question, table)

    async def _counted_name(self, question: ParsedQuestion) -> str | None:
        """Return the name that a question about its places means, None where it means none."""
        if question.entities:
            return question.entities[0]
        if (words := counted_words(question.text)) or not (reader := self.names()):
            return words
        spans = await asyncio.to_thread(reader.names, question.text)
        return next((question.text[one.start : one.end] for one in spans if one.kind == NameKind.PERSON), None)

    async def _of_parts(
        self, request: PlanRequest, question: ParsedQuestion, parts: Sequence[ParsedQuestion], table: NameTable
    ) -> Draft | None:
        """Return the sentence that answers each part of a question, None where they hardly answer it."""
        reader, answers = self.reader() or SentencePicker(), list[Read]()
        probabilities, least = list[float](), list[float]()
        for part in parts:
            pieces = await self.best(request, part)
            reads = await read(reader, part.text, QuestionParts.of(part, table), pieces)
            is_answered = bool(answer_lines(part.text, reads, request.language))
            answers += reads[:is_answered]
            probabilities.append(chance(part.text, reads[0]) if is_answered else 0.0)
            least.append(least_chance(reads[0].piece, reads[0].sentence) if is_answered else REFUSAL)
        likely = sum(probabilities) / len(parts)
        if likely < sum(least) / len(parts):
            return None
        whole = await read(reader, question.text, QuestionParts.of(question, table), await self.best(request, question))
        best = distinct_reads(answers)
        others = distinct_reads([*best, *whole])[len(best) :]
        return draft_from([*map(cited_line, best), *see_also(others, request.language)], likely)

    async def _read(
        self, request: PlanRequest, question: ParsedQuestion, table: NameTable, pieces: Sequence[Evidence]
    ) -> Draft:
        """Return the first that answers: rows of tables, a history, stated relations, what the reader points at."""
        asked = QuestionParts.of(question, table)
        words = quoted_in(question.text) or ""
        passages = [piece for piece in pieces if piece["kind"] == "passage"]
        if len(words) >= LEAST_QUOTED and passages and not holding(words, passages):
            return await self.refusal(request, question, table)
        reads = await read(self.reader() or SentencePicker(), question.text, asked, pieces)
        # But for rows of tables that say too little; documents first where files are spoken of.
        kept = [one for one in reads if is_row_asked(question.text, one.sentence, one.piece)]
        kept = of_year_first(question.text, kept)
        if names_files(question.text):
            kept.sort(key=lambda one: one.piece["kind"] != "document" or not one.answers(question.text))
        rows = await table_lines(request)
        if rows and not any(one.piece["kind"] != "document" and one.probability >= SURE for one in kept):
            return _draft_of(rows, reads, request)
        if question.kind in HISTORIES and question.entities:
            within = [one for one in kept if not question.chapters or question.covers(one.piece["chapter"])]
            told = [piece for piece in passages if question.covers(piece["chapter"])]
            lines = (question.kind == "deeds" and deed_lines(told, asked)) or history_lines(
                within, asked, request.evidence
            )
            return _draft_of(lines, kept, request) if lines else await self.refusal(request, question, table, reads)
        edges = [piece for piece in request.evidence if "edge" in piece and _is_asked(piece, question)]
        related = edges if question.kind == "relation" else []  # of two names: what is stated, and that they spoke
        met = [piece for piece in related if is_meeting(piece)]
        stated = [piece for piece in related if piece not in met]
        if stated:
            return draft_from(relation_lines(stated, kept, request.language), 0.0)
        is_counting = asks_times(question.text)
        counts = [one for one in kept if says_times(one.sentence)] if is_counting else kept
        if lines := answer_lines(question.text, counts, request.language):
            lines = version_lines(question.text, counts, request.language) or lines
            return draft_from(lines, claim(question, counts[0]))
        if is_counting and reads:
            return await self.refusal(request, question, table, reads, more=say(NOT_COUNTED, request.language))
        if lines := term_lines(request):
            return _draft_of(lines, reads, request)
        if met:
            return draft_from(relation_lines(met, kept, request.language), 0.0)
        return await self._together(request, question, table, reads)

    async def _together(
        self, request: PlanRequest, question: ParsedQuestion, table: NameTable, reads: Sequence[Read]
    ) -> Draft:
        """Return where two people are first named together, if a question asks how they met; else the refusal."""
        lines = meeting_lines(request, question, table) if question.kind == "met" else []
        return _draft_of(lines, reads, request) if lines else await self.refusal(request, question, table, reads)

    async def refusal(
        self,
        request: PlanRequest,
        question: ParsedQuestion,
        table: NameTable,
        reads: Sequence[Read] | None = None,
        unknown: UnknownName | None = None,
        more: str = "",
    ) -> Draft:
        """Return the refusal with the nearest passages, and how surely none of the evidence answers.

        Of an `unknown` name a guarded run says no more: it may only not be met yet. `more` says why.
        """
        if not request.evidence and unknown is None:
            return refusal_draft(request, "no_evidence", None)
        if reads is None:
            pieces, asked = await self.best(request, question), QuestionParts.of(question, table)
            reads = await read(self.reader() or SentencePicker(), question.text, asked, pieces)
        near = nearest_lines(reads, request.language)
        if unknown is not None:
            key = "answer.unnamed_but" if unknown.near else "answer.unnamed"
            more = "" if request.horizon else say_in(request.language, key, name=unknown.name, near=unknown.near)
            return refusal_draft(request, "unknown_name", STATED, more, near)
        doubt = self._claimed(1 - (chance(question.text, reads[0]) if reads else 0.0))
        return refusal_draft(request, "unlikely", round(doubt, 2), more, near)

    def _claimed(self, probability: float) -> float:
        """Return a probability as far as it may be claimed."""
        return probability if self.reader() else min(probability, EXTRACT)

    async def best(self, request: PlanRequest, question: ParsedQuestion) -> list[Evidence]:
        # Both sides of a comparison count, also where each has a number or a name of its own.
        pieces = request.evidence if compares(question.text) else admitted(question.text, request.evidence)
        ranked = await self.ranker.rank(question.text, pieces, request.calls, request.library, request.horizon)
        rows = [one for one in ranked if _is_asked(one, question)]
        # Documents do not crowd out the rest, nor the rest documents.
        documents = [row for row in rows if row["kind"] == "document"]
        others = [row for row in rows if row["kind"] != "document"]
        return [*documents[:MOST_CHUNKS], *others] if others else documents

    async def _speaker(
        self, request: PlanRequest, question: ParsedQuestion, table: NameTable, words: str, pieces: Sequence[Evidence]
    ) -> Draft:
        """Return the sentence that says who spoke quoted words, or that the text does not name the speaker."""
        found = await asyncio.to_thread(
            likeliest_speech, self.reader() or SentencePicker(), request.resolved, words, pieces
        )
        if found is None:
            return await self.refusal(request, question, table)
        line = cited(on_one_line(found.quote), found.piece)
        if found.speaker:
            return draft_from([line], found.probability)
        doubt, more = self._claimed(found.probability), say("offline.reading.no_speaker", request.language)
        return refusal_draft(request, "unlikely", round(doubt, 2), more, [see_also_line(line, request.language)])


def _draft_of(lines: Sequence[Sentence], reads: Sequence[Read], request: PlanRequest) -> Draft:
    return draft_from(lines, surest(reads, first_cited(lines, request.evidence)))


def _is_asked(piece: Evidence, question: ParsedQuestion) -> bool:
    """Return False for a relation that does not join the names of a question with two."""
    edge = piece.get("edge")
    if edge is None or len(question.entities) < 2:
        return True
    return {edge["source"], edge["target"]} <= set(question.entities)
