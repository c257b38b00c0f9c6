"""What the talk before a question adds to its search: the topic that a follow-up leaves out.

A question of a conversation rarely says what it is about once more (MTRAG, CAsT). The whole talk beside it drowns it;
weighed down, the words of earlier questions and answers and the direction of the last question lead to the topic.
After Yang et al., "Query and Answer Expansion from Conversation History" (TREC CAsT 2019), with weights instead of
thresholds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from state.session import SessionTurn
from tools.documents.words import words_of
from tools.language import is_chinese

# Words that point back, and questions without enough words of their own, lean on the talk more.
BACKWARD = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|one|ones|such|else|another|"
    r"others?|same|there|and|so|also|what about|how about)\b|[他她它其]|这|那|此|该|呢[？?]?$|上述|前者|后者",
    re.IGNORECASE,
)
FEW_WORDS = 3
FEW_SIGNS = 8  # of Chinese
DECAY = 0.7  # of a turn's weight against that of the turn behind it


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaning:
    """How much the talk counts: the words of its questions and answers, and the direction of the last question."""

    questions: float
    answers: float
    direction: float


# Chosen by recall@5 on the talks of even place of two sets: 244 made from questions on a medical corpus, half of them
# follow-ups without their topic and half full questions behind another talk, and 20 talks (94 turns) written over pages
# of the web. The more the questions of a talk stand by themselves, the less it should say. What it does to recall in a
# set of one's own, `python benchmarks/documents.py` tells.
SLIGHT = Leaning(questions=0.1, answers=0.05, direction=0.15)
STRONG = Leaning(questions=0.2, answers=0.05, direction=0.3)


@dataclass(frozen=True, slots=True)
class Background:
    """What a talk adds.

    Attributes:
        terms: weights of its words.
        questions: its questions, oldest first, as they were resolved.
        text: its questions and answers, the newest first, one to a turn.
        direction: how far its last question pulls the meaning that is searched for.
        told: words of the last question and its answer.
    """

    terms: Mapping[str, float] = field(default_factory=dict)
    questions: Sequence[str] = ()
    text: Sequence[str] = ()
    direction: float = 0.0
    told: Sequence[str] = ()

    @property
    def last(self) -> str:
        """Its last question; '' without a talk."""
        return self.questions[-1] if self.questions else ""


def background_of(query: str, earlier: Sequence[SessionTurn]) -> Background:
    """Return what earlier turns, oldest first, add to a query."""
    if not earlier:
        return Background()
    leaning, terms, weight = leaning_of(query), dict[str, float](), 1.0
    for turn in reversed(earlier):
        for word in words_of(turn["answer"]):
            terms[word] = max(terms.get(word, 0.0), leaning.answers * weight)
        for word in words_of(turn["resolved"]):
            terms[word] = max(terms.get(word, 0.0), leaning.questions * weight)
        weight *= DECAY
    questions = [turn["resolved"] for turn in earlier]
    text = [f"{turn['resolved']}\n{turn['answer']}" for turn in reversed(earlier)]
    return Background(terms=terms, questions=questions, text=text, direction=leaning.direction, told=words_of(text[0]))


def leaning_of(query: str) -> Leaning:
    """Return how much a question leans on the talk before it."""
    is_short = len(query) <= FEW_SIGNS if is_chinese(query) else len(words_of(query)) <= FEW_WORDS
    return STRONG if is_short or BACKWARD.search(query) else SLIGHT
