"""Tokenizers and term weights (BM25) of texts and questions, the same for every vector engine."""

from dataclasses import dataclass

import qdrant_edge as edge

from tools.text.scripts import simplified
from wenmai.stores.vectors.points import PASSAGE_WORDS

CHINESE_STOP_WORDS: set[str] = set("的 了 是 在 我 你 他 她 什么 哪里 哪 吗 呢 啊 吧 谁 怎么 怎样 多少 几".split())  # noqa: SIM905


SparseWords = edge.SparseVector  # weights of words by their ids


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Weighs the words of texts and of questions in simplified script, whatever they are written in."""

    model: edge.Bm25

    def embed_document(self, text: str) -> SparseWords:
        return self.model.embed_document(simplified(text))

    def embed_query(self, text: str) -> SparseWords:
        return self.model.embed_query(simplified(text))


def passage_words() -> WordWeights:
    return WordWeights(edge.Bm25(edge.Bm25Config(tokenizer=edge.TokenizerType.Multilingual, avg_len=PASSAGE_WORDS)))


def question_words(average_words: int) -> WordWeights:
    """Return the weights for texts that a question words in another form: English stems, without stop words.

    Args:
        average_words: words of a text that are no stop words.
    """
    config = edge.Bm25Config(
        tokenizer=edge.TokenizerType.Multilingual,
        avg_len=average_words,
        stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
        stopwords=edge.StopwordsSet(
            languages={edge.Language.English, edge.Language.Chinese}, custom=CHINESE_STOP_WORDS
        ),
    )
    return WordWeights(edge.Bm25(config))
