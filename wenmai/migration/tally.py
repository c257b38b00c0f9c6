"""What was moved, and whether both sides hold the same: counts and checksums."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
BATCH = 500
SAME_FLOATS = 1e-5  # both engines keep 32 bits, and make unit vectors of what they are given
CHECKSUM_DIGITS = 12


class Progress(Protocol):
    """Shows how far a part is; the command line draws a bar."""

    def __call__(self, part: str, done: int, total: int | None) -> None:
        """Show a step."""
        ...


@dataclass(frozen=True, slots=True)
class Tally:
    """How many records of a kind a side holds, and a checksum that does not depend on their order."""

    count: int
    checksum: str

    @classmethod
    def of(cls, records: Iterable[Any]) -> "Tally":
        """Count records and add up their digests."""
        count = total = 0
        for record in records:
            count += 1
            total += int.from_bytes(sha256(canonical(record).encode("utf-8", "surrogatepass")).digest())
        return cls(count, f"{total % 2**256:064x}"[:CHECKSUM_DIGITS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One kind of records: what the source holds, what the target holds of it now, and how many had to be written."""

    kind: str
    source: Tally
    target: Tally
    written: int

    @property
    def is_same(self) -> bool:
        """True if both sides hold the same."""
        return self.source == self.target


def canonical(record: Any) -> str:
    """Return a record as the same text on every machine."""
    plain = asdict(record) if is_dataclass(record) and not isinstance(record, type) else record
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, default=str)


def same_vector(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    """Return True if two vectors are equal but for what the engines round."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(abs(a - b) <= SAME_FLOATS for a, b in zip(one, other, strict=True))


def batches(rows: Iterable[T], size: int = BATCH) -> Iterable[list[T]]:
    """Yield rows in lists."""
    left = iter(rows)
    return iter(lambda: list(islice(left, size)), [])


def silent(part: str, done: int, total: int | None) -> None:
    """Show nothing."""
