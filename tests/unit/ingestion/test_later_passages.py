"""Answers about chapters that were checked before the story went on."""

from tools.evidence import blank
from tools.records import Passage
from tools.story.names import NameTable
from wenmai.ingestion.model.story_reader import StoryReader, WholeText
from wenmai.ingestion.model.summaries import without_later
from wenmai.ingestion.model.summary_requests import Checked, CheckedPerson, CitedSentence, SummaryRequest

FIRST = "Ada Finch steers the ferry across the bay at night."
LATER = "The keeper Reed sinks the ferry beside the lighthouse in the storm."


def passage(number: int, text: str) -> Passage:
    return Passage(
        id=str(number),
        library="lib",
        text=text,
        part=1,
        chapter=number,
        event_order=number,
        start=0,
        end=len(text),
        task_id="a",
    )


TABLE = NameTable.build(())
REQUEST = SummaryRequest("chapter", "a", "en", "One", (blank("passage", "1", FIRST),))


def test_what_later_passages_alone_tell_goes_from_an_answer_that_was_checked() -> None:
    """STO-97: a book that is read in as it appears shows in no summary what stands in its later chapters."""
    told = CitedSentence(text="Ada Finch steers the ferry at night.", ids=["1"])
    ahead = CitedSentence(text="Reed sinks the ferry beside the lighthouse.", ids=["1"])
    checked = Checked(
        sentences=[told, ahead], people=[CheckedPerson(name="Ada Finch", sentences=[ahead])], dropped=1, later=0
    )
    before = without_later(checked, REQUEST, StoryReader(TABLE, TABLE, WholeText([passage(1, FIRST)]), 1))
    assert before == checked
    text = WholeText([passage(1, FIRST), passage(2, LATER)])
    after = without_later(checked, REQUEST, StoryReader(TABLE, TABLE, text, 1))
    assert (after.sentences, after.people, after.dropped) == ([told], [], 3)
