"""Tokenizers and term weights (BM25) of texts and questions, the same for every vector engine."""

import qdrant_edge as edge

from wenmai.stores.records.vector_policy import PASSAGE_WORDS

CHINESE_STOP_WORDS: set[str] = set("的 了 是 在 我 你 他 她 什么 哪里 哪 吗 呢 啊 吧 谁 怎么 怎样 多少 几".split())  # noqa: SIM905


def passage_words() -> edge.Bm25:
    """Return the weights for passages of a story."""
    return edge.Bm25(edge.Bm25Config(tokenizer=edge.TokenizerType.Multilingual, avg_len=PASSAGE_WORDS))


def question_words(average_words: int) -> edge.Bm25:
    """Return the weights for texts that a question words in another form: English stems, without stop words.

    Args:
        average_words: words of a text that are no stop words.
    """
    stop_words = edge.StopwordsSet(languages={edge.Language.English, edge.Language.Chinese}, custom=CHINESE_STOP_WORDS)
    return edge.Bm25(
        edge.Bm25Config(
            tokenizer=edge.TokenizerType.Multilingual,
            avg_len=average_words,
            stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
            stopwords=stop_words,
        )
    )
