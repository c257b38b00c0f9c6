"""A follow-up reads on: the page of the last answer, and the chunks beside it, come before equal ones elsewhere."""

from collections import Counter

from state.session import SessionTurn
from tests.documents.desk import USER, Desk
from tests.fake_documents import document_of
from tools.base import Scope
from tools.documents.records import Location
from tools.documents.scores import REACH, DocumentQuestion, mentioned, named_points, page_of, page_points, titles_of
from tools.documents.search import DocumentSearch
from tools.text.words import words_of

QUESTION = "How long does it take?"
LICENCE = Location(heading=("Boat licence",))
PASSPORT = Location(heading=("Passport",))
TEXTS = ("A boat licence is issued by the harbour office.", "It takes two weeks.")
OTHERS = ("A passport is issued by the town hall.", "It takes two weeks.")


def points(told: str, *texts: str, locations: tuple[Location, ...] = ()) -> list[float]:
    chunks = document_of(*texts, locations=locations)
    return page_points(words_of(told), chunks, [Counter(words_of(text)) for text in texts])


def test_the_page_and_the_neighbours_of_a_source_get_points() -> None:
    """The nearer to what was answered from, the more; another page gets nothing."""
    texts = ("harbour office", "two weeks", "three pictures", "four stamps", "town hall")
    places = (LICENCE,) * 4 + (PASSPORT,)
    assert points("harbour office", *texts, locations=places) == [4.0, 7.0, 5.5, 4.0, 0.0]
    assert REACH == 2


def test_without_a_word_in_common_no_place_counts() -> None:
    """An answer that no chunk holds says nothing of where the talk stands, nor does a talk that is not."""
    assert points("something else", "harbour", "town") == [0.0, 0.0]
    assert points("", "harbour", "town") == [0.0, 0.0]
    assert points("harbour") == []


def test_a_page_is_what_the_outermost_heading_stands_over() -> None:
    """Sections of one chapter are one page; a document without headings is one, and never another's."""
    nested = Location(heading=("Boat licence", "Fees"))
    one, two, three = document_of("a", "b", "c", locations=(LICENCE, nested, PASSPORT))
    assert page_of(one) == page_of(two) != page_of(three)
    assert page_of(document_of("a", id="d1")[0]) != page_of(document_of("a", id="d2")[0])


def test_a_page_that_the_talk_names_gets_points() -> None:
    """A title counts in full in the question and the last turn, then less with every turn, as a whole word only."""
    chunks = document_of("a", "b", "c", locations=(LICENCE, PASSPORT, Location()))
    talk = ["How long does it take?", "Who issues a passport?", "And a boat licence?"]
    assert named_points(talk, chunks) == [3.5, 5.0, 0.0]
    assert mentioned("port", ["a passport"]) == 0.0
    assert titles_of(document_of("a", filename="a.md", locations=(Location(heading=("Film",)),))[0]) == ["Film"]
    assert titles_of(document_of("a", filename="a.md", locations=(Location(heading=("VAT",)),))[0]) == ["VAT"]
    assert mentioned("故宫", ["故宫的门票多少钱"]) == 1.0


def turn(question: str, answer: str) -> SessionTurn:
    return SessionTurn(question=question, resolved=question, answer=answer, entities=[])


def test_every_question_of_the_talk_is_searched_for_by_its_words() -> None:
    """What an older question names is a candidate too; the newest words come first."""
    talk = [turn("What is Acme?", "A firm."), turn("Who owns it?", "Nobody.")]
    assert DocumentQuestion.of("Since when?", talk).words == "Since when? Who owns it? What is Acme?"
    assert DocumentQuestion.of("Since when?", []).words == "Since when?"


async def test_a_follow_up_finds_the_page_of_the_last_answer() -> None:
    """S004-22: of two equal chunks the one under the page that the talk is about comes first."""
    desk = Desk()
    await desk.put("b.md", *TEXTS, locations=(LICENCE, LICENCE))
    await desk.put("a.md", *OTHERS, locations=(PASSPORT, PASSPORT))
    search = DocumentSearch(desk.documents, desk.embedder)

    async def first(*turns: SessionTurn) -> str:
        scope = Scope(library="", user_id=USER, thread_id="t1", earlier=turns)
        rows = await search.search(QUESTION, scope, 4)
        return next(chunk.filename for chunk, _ in rows if chunk.content == TEXTS[1])

    assert await first() == "a.md"
    assert await first(turn("Who issues it?", "The harbour office.")) == "b.md"
    assert await first(turn("Who issues it?", "The town hall.")) == "a.md"
