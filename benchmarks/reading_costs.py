"""How much prompt goes with how much text where a model reads a book; nothing is sent.

    python -m benchmarks.reading_costs data/sample/雾港纪事.txt BOOK… --json reading_costs.json

Prompt is all that a call holds beside the text: system prompt, schema, titles, and the names known so far at their
most. Its constant part, the same in every call, is what services cache.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wenmai.ingestion.model.pieces import CALL, LENGTH_FACTOR, Piece, calls_of, pieces_of
from wenmai.ingestion.model.prompts import MOST, READER, asked
from wenmai.ingestion.source_bundle import language_of
from wenmai.ingestion.sources.loaders import load
from wenmai.minds.model.extractor import schema_size

ALONE = 1  # a size of calls that leaves each piece one of its own


def measured(pieces: Sequence[Piece], size: int) -> dict[str, Any]:
    """Return the calls for pieces, and the characters of prompt for one of text."""
    calls = calls_of(pieces, size)
    language = pieces[0].language
    text = sum(len(piece.text) for piece in pieces)
    constant = len(calls) * (len(READER[language]) + schema_size())
    titles = sum(len(asked(call)) - sum(len(piece.text.strip("\n")) for piece in call) for call in calls)
    names = (len(calls) - 1) * MOST * LENGTH_FACTOR[language]
    return {
        "calls": len(calls),
        "prompt : text": round((constant + titles + names) / text, 2),
        "constant part": round(constant / text, 2),
    }


def row(path: Path, size: int) -> dict[str, Any]:
    """Return the figures of a book, a call for each piece and with pieces that share calls."""
    chapters = load(path)
    pieces = pieces_of(chapters, language_of(chapters))
    return {
        "book": path.stem if path.stem != "text" else path.parent.name,
        "chapters": len(chapters),
        "characters": sum(len(piece.text) for piece in pieces),
        "each alone": measured(pieces, ALONE),
        "shared": measured(pieces, size),
    }


def main() -> None:
    """Print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("books", nargs="+", type=Path)
    parser.add_argument("--size", type=int, default=CALL)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = [row(path, given.size) for path in given.books]
    print("\n".join(json.dumps(one, ensure_ascii=False) for one in rows))
    if given.json:
        given.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
