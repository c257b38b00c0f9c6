"""Public sets of passages and questions as the JSON lines that `benchmarks/public/documents.py` reads.

    python benchmarks/public/documents_data.py ../shared/data/cmrc2018/cmrc2018_trial.json OUT
    python benchmarks/public/documents_data.py ../shared/data/drcd/DRCD_dev.json OUT

Files of SQuAD's form (articles of paragraphs with questions) become OUT/passages.jsonl, `{id, title, text}`, and
OUT/questions.jsonl, `{id, history, question, gold}`: the paragraph that a question was asked of is its gold.
`--untitled` leaves the titles out: a paragraph is then found by its own words alone.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def passages(articles: Sequence[Row], *, titled: bool = True) -> Iterator[Row]:
    """Yield every paragraph, under the title of its article."""
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield {
                "id": paragraph["id"],
                "title": article.get("title", "") if titled else "",
                "text": paragraph["context"],
            }


def questions(articles: Sequence[Row]) -> Iterator[Row]:
    """Yield every question with the paragraph that answers it."""
    for article in articles:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                gold = [[paragraph["id"]]]
                yield {"id": asked["id"], "history": [], "question": asked["question"], "gold": gold}


def write(path: Path, rows: Iterator[Row]) -> None:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    """Convert one file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--untitled", action="store_true")
    given = parser.parse_args()
    articles = json.loads(given.source.read_text(encoding="utf-8"))["data"]
    given.target.mkdir(parents=True, exist_ok=True)
    write(given.target / "passages.jsonl", passages(articles, titled=not given.untitled))
    write(given.target / "questions.jsonl", questions(articles))


if __name__ == "__main__":
    main()
