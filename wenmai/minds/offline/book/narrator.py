"""Who tells the story: a narrator who says "I" outside of quotations, by name where the text has it."""

from collections import Counter
from collections.abc import Sequence

from nodes.roles import PlanRequest
from tools.story.linking import NameTable, fold
from wenmai.language.narration import is_first_person, narrated, pronoun_spans
from wenmai.minds.offline.book.central import Told, sentences_of
from wenmai.minds.offline.book.people import balanced, numbered_by
from wenmai.minds.offline.questions.asked import naming
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.sentences import Numbered
from wenmai.minds.offline.wordings import say


def narrator_told(request: PlanRequest, question: Question, table: NameTable) -> str:
    """Return who tells the story, with a sentence that shows it; '' where nothing was found."""
    opened = numbered_by(request, "read_chapters")
    if not opened:
        return ""
    language = request.language
    if not is_first_person([piece["text"] for _, piece in opened]):
        return say("narrator.third_person", language, sentence=_shown(sentences_of(opened[:1])[:1]))
    numbered = enumerate(request.evidence, 1)
    own = [(n, piece) for n, piece in numbered if piece["kind"] == "passage" and piece["library"] == request.library]
    saying = [one for one in sentences_of(opened) if pronoun_spans(narrated(one.text))]
    if not (name := _narrator(own, table)):
        return say("narrator.unnamed", language, sentence=_shown(saying[:1]))
    told = [one for one in sentences_of(own) if naming(name, table).search(fold(one.text))]
    return say("narrator.first_person", language, name=name, sentence=_shown([*told, *saying][:1]))


def _narrator(pieces: Sequence[Numbered], table: NameTable) -> str | None:
    """Return the person that most passages call "I": it is tagged in them although no spelling of it stands there."""
    meant = Counter(
        name
        for _, piece in pieces
        if pronoun_spans(narrated(piece["text"]))
        for name in piece["entities"]
        if not naming(name, table).search(fold(piece["text"]))
    )
    return next((name for name, _ in meant.most_common(1)), None)


def _shown(told: Sequence[Told]) -> str:
    return f"{balanced(told[0].text)} [E{told[0].number}]" if told else ""
