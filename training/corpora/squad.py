"""Reading comprehension in SQuAD's shape: CMRC 2018, DRCD, XQuAD, SQuAD 2.0 in Chinese."""

import json
from collections.abc import Iterator
from pathlib import Path

from training.corpora.proof import sentence_around
from training.corpora.rows import Row
from training.examples import Question


def questions(row: Row) -> Iterator[Question]:
    """Return the questions of a row; of several answers the first counts."""
    passage = row["passage"]
    for item in row["questions"]:
        if not item["answers"]:
            yield Question(item["question"], passage, answerable=False)
            continue
        answer = item["answers"][0]
        span = (answer["start"], answer["start"] + len(answer["text"]))
        if passage[slice(*span)] == answer["text"]:
            yield Question(item["question"], passage, True, span, sentence_around(passage, span))


def trial(path: Path) -> list[Row]:
    """Return the rows of CMRC's trial part, which is in SQuAD's own nesting."""
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    return [
        {
            "passage": paragraph["context"],
            "questions": [
                {
                    "question": item["question"],
                    "answers": [{"text": a["text"], "start": a["answer_start"]} for a in item["answers"]],
                }
                for item in paragraph["qas"]
            ],
        }
        for article in articles
        for paragraph in article["paragraphs"]
    ]
