"""What earlier turns add to the search for a question: the topic that a follow-up leaves out.

A question of a conversation rarely repeats its topic (MTRAG, CAsT). Unweighted, the conversation would outweigh it;
with small weights the words of earlier questions and answers and the direction of the last question lead to the topic.
After Yang et al., "Query and Answer Expansion from Conversation History" (TREC CAsT 2019), with weights instead of
thresholds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from state.session import SessionTurn
from tools.documents.words import words_of
from tools.language import is_chinese

# Questions with words that point back, or with few words of their own, depend on earlier turns more.
BACKWARD = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|one|ones|such|else|another|"
    r"others?|same|there|and|so|also|what about|how about)\b|[他她它其]|这|那|此|该|呢[？?]?$|上述|前者|后者",
    re.IGNORECASE,
)
FEW_WORDS = 3
FEW_SIGNS = 8  # of Chinese
DECAY = 0.7  # share of a turn's weight in that of the turn after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaning:
    """Weights of earlier turns: the words of questions and of answers, and the direction of the last question."""

    questions: float
    answers: float
    direction: float


# Chosen by recall@5 on the conversations with even numbers of two sets: 244 made from questions on a medical corpus,
# half of them follow-ups without their topic and half full questions after another conversation, and 20 conversations
# (94 turns) written over pages of the web. The more self-contained the questions are, the smaller the weights should
# be. `python benchmarks/documents.py` measures the recall in other sets.
SLIGHT = Leaning(questions=0.1, answers=0.05, direction=0.15)
STRONG = Leaning(questions=0.2, answers=0.05, direction=0.3)


@dataclass(frozen=True, slots=True)
class Background:
    """What earlier turns add to a search.

    Attributes:
        terms: weights of their words.
        questions: resolved questions, oldest first.
        text: questions and answers, the newest first, one string for each turn.
        direction: share of the last question's vector in the query's.
        exchange: words of the last question and its answer.
    """

    terms: Mapping[str, float] = field(default_factory=dict)
    questions: Sequence[str] = ()
    text: Sequence[str] = ()
    direction: float = 0.0
    exchange: Sequence[str] = ()

    @property
    def last(self) -> str:
        """The last question; '' without earlier turns."""
        return self.questions[-1] if self.questions else ""


def background_of(query: str, earlier: Sequence[SessionTurn]) -> Background:
    """Return what earlier turns (oldest first) add to a query."""
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
    return Background(
        terms=terms, questions=questions, text=text, direction=leaning.direction, exchange=words_of(text[0])
    )


def leaning_of(query: str) -> Leaning:
    """Return the weights of earlier turns for a question."""
    is_short = len(query) <= FEW_SIGNS if is_chinese(query) else len(words_of(query)) <= FEW_WORDS
    return STRONG if is_short or BACKWARD.search(query) else SLIGHT
