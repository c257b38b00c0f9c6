"""Whether a question that shows no word for it leaves unsaid whom the talk is about: 首级后来被带到哪里去了."""

from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.linear import loaded
from wenmai.minds.offline.reading import Reading
from wenmai.minds.offline.wordings import BEGIN, END, counted, kinds, plain_text, runs

WEIGHTS = "unsaid.json"
"""Fitted as `benchmarks.follow_ups` does, on 12,155 questions in 74 writers' talks over a long novel, right answers as
history: follow-ups without a word that refers back, questions that stand alone, and 1,002 questions of other subjects
asked between them."""
LEAST = 1.5
"""Log-odds from which a question goes on: 146 of 275 that do and 21 of 9,270 that stand alone, when held out in six
parts. It was chosen on them, and on the questions of the tests that are of everybody, of the book or of the agent."""
IN_FIFTHS = 5  # of a question's characters
LENGTH_STEP = 4  # characters


def leaves_unsaid(reading: Reading, discourse: Discourse) -> bool:
    """Tell whether a question, of which the rules found nothing left out, goes on about somebody of the talk."""
    shown = shown_by(reading, discourse)
    discourse.observer.unsaid(shown)
    return loaded(WEIGHTS).score(shown) > LEAST


def shown_by(reading: Reading, discourse: Discourse) -> list[str]:
    """Return the signs of a question after a talk: its wording, and what ties it to the talk."""
    text = plain_text(reading.masked)
    return [*runs(f"{BEGIN}{text}{END}"), *kinds(reading), *_ties(reading, text, discourse)]


def _ties(reading: Reading, text: str, discourse: Discourse) -> list[str]:
    view = discourse.turns[0]
    people = {one.name for one in reading.people()}
    talked = {one.name for one in discourse.people()}
    characters = set(reading.text)
    shared = len(characters & set(view.question.text + view.answer.text)) / max(1, len(characters))
    clauses = text.count("，") + 1
    return [
        *counted(
            people=(len(people), 3),
            new=(len(people - talked), 3),
            old=(len(people & talked), 3),
            asked=(len(people & {one.name for one in view.question.people()}), 2),
            answered=(len(people & {one.name for one in view.answer.people()}), 2),
            listed=(len({one.name for one in reading.people() if one.known}), 2),
            others=(len({one.name for one in reading.named} - people), 2),
            turns=(len(discourse.turns), 3),
            left=(len(talked - people), 3),
            before=(len({one.name for one in view.question.people()}), 3),
            continued=(len(view.continued), 2),
            shared=(shared * IN_FIFTHS, IN_FIFTHS),
            clauses=(clauses, 3),
            length=(len(text) / LENGTH_STEP, 6),
        ),
        f"people={min(2, len(people))} clauses={min(2, clauses)}",
    ]
