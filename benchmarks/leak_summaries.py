"""A model that knows the whole book and tells it in every summary, and what a reader under a guard sees of that."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from benchmarks.leak_books import Book
from benchmarks.leak_hunt import Hunt
from nodes.checking.draft_check import DraftCheck
from tools.records import SummaryFilter
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.entities import EntityOperations
from wenmai.application.paging import EVERY, Guard
from wenmai.application.summaries import SummaryOperations
from wenmai.ingestion.contracts import IngestReport
from wenmai.ingestion.model.budget import Purse
from wenmai.ingestion.model.summaries import SummaryOptions, summarise
from wenmai.ingestion.model.summary_requests import (
    SummaryRequest,
    Written,
    WrittenAnswer,
    WrittenPerson,
    WrittenSentence,
)
from wenmai.inputs import NotFound
from wenmai.language.segmenting import cut

OWN, LATER = 3, 2  # sentences of a request's own material, and of what comes behind it, in an answer
LEAST, MOST = 12, 200  # characters of a sentence that is told
PEOPLE = 4
STOP = re.compile(r"(?<=[。！？!?])|(?<=\.)\s")
KNOWN = 40  # people whose descriptions are looked at


@dataclass
class Gossip:
    """The writer: true sentences, those of later chapters with marks of this one, and true ones with later names."""

    book: Book
    summary_mark: str = "gossip"
    told: int = 0
    _last: dict[str, int] = field(default_factory=dict)

    async def write(self, request: SummaryRequest) -> WrittenAnswer:
        """Return an answer that tells what comes."""
        rows = [(number, text) for number, one in enumerate(request.pieces, 1) for text in told(one["text"])]
        last = self._covered([text for _, text in rows])
        later = [text for one in self.book.chapters[last + 1 : last + 3] for text in told(one.text)]
        names = [one for one in self.book.names if any(one in text for text in later[:40])]
        own = [WrittenSentence(text=text, marks=[number]) for number, text in rows]
        ahead = [WrittenSentence(text=text, marks=[1]) for text in later[:LATER]]
        named = [
            WrittenSentence(text=row.text.replace(known, name, 1), marks=row.marks)
            for row, name in zip(own, names, strict=False)
            if (known := next((one for one in self.book.known_names if len(one) > 1 and one in row.text), ""))
        ]
        self.told += len(ahead) + len(named[:LATER])
        spread = own[:: max(1, len(own) // OWN)][:OWN]
        people = islice(self._people(request, own, ahead), PEOPLE)
        return WrittenAnswer(calls=1, written=Written(sentences=[*spread, *ahead, *named[:LATER]], people=list(people)))

    def _covered(self, sentences: Sequence[str]) -> int:
        """Return the last chapter that has one of these sentences."""
        found = 0
        for text in sentences:
            if text not in self._last:
                places = [at for at, one in enumerate(self.book.chapters) if text in one.text]
                self._last[text] = places[0] if places else 0
            found = max(found, self._last[text])
        return found

    def _people(
        self, request: SummaryRequest, own: Sequence[WrittenSentence], ahead: Sequence[WrittenSentence]
    ) -> Iterator[WrittenPerson]:
        if request.asked == "people":
            names = dict.fromkeys(one["text"].partition("：")[0] for one in request.pieces)
        else:
            names = dict.fromkeys(self.book.names)
        for name in names:
            said = [row for row in own if name in row.text][:OWN]
            if said:
                yield WrittenPerson(name=name, sentences=[*said, *ahead])


def told(text: str) -> list[str]:
    """Return the sentences of a text that can be told."""
    found = (one.strip() for line in text.split("\n") for one in STOP.split(line))
    return [one for one in found if LEAST <= len(one) <= MOST and not re.search(r"[“”\"]", one)]


async def write_summaries(services: Services, hunt: Hunt) -> Gossip:
    """Have the summaries of a library written by one who tells what comes."""
    writer = Gossip(hunt.book)
    options = SummaryOptions(
        answers=services.answers, check=DraftCheck(lambda: services.reader, cut).sound_sentences, writer=writer
    )
    report = IngestReport(library=hunt.library)
    async with services.libraries.writing(hunt.library):
        await summarise(hunt.library, services.stores, options, Purse(spending=report.spending), None, report)
    return writer


async def see_summaries(services: Services, hunt: Hunt) -> int:
    """Compare all summaries and descriptions that a reader is shown; return how many there are."""
    guard = Guard.model_validate(hunt.guard) if hunt.is_guarded else None
    caller = Caller.local()
    shown = await SummaryOperations(services, caller).list(hunt.library, guard=guard, limit=EVERY)
    hunt.see([one.model_dump() for one in shown.items], "", "summaries")
    entities = EntityOperations(services, caller)
    for name in hunt.book.known_names[:KNOWN]:
        try:
            found = await entities.get(hunt.library, name, guard=guard)
        except NotFound:
            continue
        hunt.see(found.summary.model_dump() if found.summary else {}, name, "entities show")
    horizon = hunt.book.horizon if hunt.is_guarded else None
    rows = await services.catalog.summaries(hunt.library, SummaryFilter(horizon=horizon))
    assert len(rows) == shown.total
    return shown.total
