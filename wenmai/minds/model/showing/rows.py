"""Results of calls that hold no rows of their own, as rows of evidence: documents, memories, networks."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from state.schema import Evidence
from tools.formatting import Row, listing, shorten, told

CONTEXT = "keyword_context"
ROOM = 5_000  # characters of one result
VALUE_CHARACTERS = 200
JOINT = " — "
BETWEEN = "; "
UNTOLD = frozenset({"matched_field", "failed", "session_id", "new_instances", "new_neighbors", "returned_instances"})


def evidence_rows(result: Mapping[str, Any], pieces: Sequence[Evidence]) -> str:
    """Return a result as its figures and its evidence, a row for each piece, all values of an instance in one."""
    grouped = [list(group) for _, group in groupby(pieces, key=instance_of)]
    rows = [Row(text=row_of(group), evidence=group[0]["id"]) for group in grouped]
    return listing(rows, ROOM, before=[head_of(result)])


def instance_of(piece: Evidence) -> tuple[str, ...]:
    """Return what pieces of one instance have in common; any other piece stands alone."""
    if piece["kind"] != "property":
        return (piece["id"],)
    return piece["library"], piece["source"] or "", piece["text"].partition(JOINT)[0]


def row_of(group: Sequence[Evidence]) -> str:
    """Return the words of a row: the text of a piece behind its place, or an instance with its values."""
    first = group[0]
    if first["kind"] == "property":
        head = first["text"].partition(JOINT)[0]
        values = [shorten(piece["text"].partition(JOINT)[2], VALUE_CHARACTERS) for piece in group]
        return f"{head}{JOINT}{BETWEEN.join(values)}"
    if first["kind"] == "relation":
        return first["text"]
    source = first["source"] if first["kind"] == "document" else None
    return told(" · ".join(part for part in (source, first["location"]) if part), first["text"])


def head_of(result: Mapping[str, Any]) -> str:
    """Return the figures of a result on one line."""
    plain = result.get(CONTEXT, result)
    told_of = {**plain, **plain.get("statistics", {})} if CONTEXT in result else plain
    parts = [
        f"{name}: {value}"
        for name, value in told_of.items()
        if name not in UNTOLD and value not in (None, "", False) and not isinstance(value, list | dict)
    ]
    return BETWEEN.join([*parts, *map(str, plain.get("warnings", ()))])
