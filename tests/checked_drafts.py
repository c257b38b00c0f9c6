"""What the check makes of a model's text: the text that is left, and what was found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.checking.draft_check import CheckRequest, DraftCheck
from nodes.citations import marked_text
from nodes.drafts import read_draft
from nodes.roles import AnswerReader
from state.draft import Note
from state.schema import Evidence
from tools.story.names import NameTable
from wenmai.language.segmenting import cut


@dataclass(frozen=True)
class Checked:
    """A checked draft, its marks numbered by the evidence."""

    text: str
    notes: list[Note]
    is_refusal: bool
    is_verified: bool

    @property
    def found(self) -> list[tuple[str, str]]:
        """The actions of its notes with their reasons."""
        return [(note["action"], note["reason"]) for note in self.notes]


def check(
    text: str,
    question: str,
    evidence: Sequence[Evidence],
    names: NameTable | None = None,
    reader: Callable[[], AnswerReader | None] = lambda: None,
    *,
    known: Sequence[str] = (),
    resolved: str = "",
    is_talk: bool = False,
) -> Checked:
    """Read a model's text as a draft and check it, by its words alone where no reader is given."""
    draft = read_draft(text, question, list(evidence), is_talk=is_talk)
    table = names or NameTable.build(())
    request = CheckRequest(
        question=question, draft=draft, evidence=evidence, table=table, known=known, resolved=resolved
    )
    left = DraftCheck(reader, cut).check(request)
    shown = marked_text(left["sentences"], evidence)
    return Checked(shown, left["notes"], left["status"] == "not_found", left["verified"])
