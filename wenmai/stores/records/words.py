"""Tokenizers and term weights (BM25) of texts and questions, the same for every vector engine."""

from dataclasses import dataclass
from typing import Protocol

import qdrant_edge as edge

from tools.text.scripts import simplified
from wenmai.stores.records.points import PASSAGE_WORDS

CHINESE_STOP_WORDS: set[str] = set("的 了 是 在 我 你 他 她 什么 哪里 哪 吗 呢 啊 吧 谁 怎么 怎样 多少 几".split())  # noqa: SIM905


class Words(Protocol):
    """Weighs the words of texts and questions."""

    def embed_document(self, text: str) -> edge.SparseVector:
        """Return the weights of a text's words."""
        ...

    def embed_query(self, text: str) -> edge.SparseVector:
        """Return the weights of a question's words."""
        ...


@dataclass(frozen=True, slots=True)
class SimplifiedWords:
    """Words in simplified script, whatever a text or a question is written in."""

    words: edge.Bm25

    def embed_document(self, text: str) -> edge.SparseVector:
        return self.words.embed_document(simplified(text))

    def embed_query(self, text: str) -> edge.SparseVector:
        return self.words.embed_query(simplified(text))


def passage_words() -> Words:
    return _words(edge.Bm25Config(tokenizer=edge.TokenizerType.Multilingual, avg_len=PASSAGE_WORDS))


def question_words(average_words: int) -> Words:
    """Return the weights for texts that a question words in another form: English stems, without stop words.

    Args:
        average_words: words of a text that are no stop words.
    """
    stop_words = edge.StopwordsSet(languages={edge.Language.English, edge.Language.Chinese}, custom=CHINESE_STOP_WORDS)
    return _words(
        edge.Bm25Config(
            tokenizer=edge.TokenizerType.Multilingual,
            avg_len=average_words,
            stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
            stopwords=stop_words,
        )
    )


def _words(config: edge.Bm25Config) -> Words:
    return SimplifiedWords(edge.Bm25(config))
