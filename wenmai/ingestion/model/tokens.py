"""Tokens of what is sent to a model, where no service counts them."""

import json
from collections.abc import Sequence
from functools import cache

from pydantic import BaseModel

from wenmai.ingestion.model.pieces import Piece, Reading
from wenmai.ingestion.model.prompts import MOST, READER, asked
from wenmai.ingestion.model.summary_requests import SUMMARISER, SummaryRequest, Written, most_sentences

HAN_PER_TOKEN, OTHER_PER_TOKEN = 1.0, 4.0
"""Characters of a token where no service counts them: Google states about 4 for its models; a Han character as a whole
token overstates the cost rather than understating it."""
JSON_PER_TOKEN = 4.0  # characters of a token of the declared schema, which no service counts beforehand
SENTENCE_TOKENS = 60  # tokens of a sentence with its marks in an answer, where a Han character is one


def approximate(text: str) -> int:
    han = sum("\u3400" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or char in "，。！？；：“”" for char in text)
    return round(han / HAN_PER_TOKEN + (len(text) - han) / OTHER_PER_TOKEN)


def call_tokens(pieces: Sequence[Piece]) -> tuple[int, int]:
    """Return the tokens that a call about pieces sends, and about as many as its answer takes."""
    text = approximate(asked(pieces))
    return text + MOST + approximate(READER[pieces[0].language]) + schema_tokens(Reading), text


def request_tokens(request: SummaryRequest) -> tuple[int, int]:
    """Return the tokens that a request sends and that its answer takes at most."""
    sent = approximate(SUMMARISER[request.language]) + approximate(request.message)
    return sent + schema_tokens(Written), most_sentences(request.asked) * SENTENCE_TOKENS


@cache
def schema_tokens(schema: type[BaseModel]) -> int:
    return round(len(json.dumps(schema.model_json_schema(), ensure_ascii=False)) / JSON_PER_TOKEN)
