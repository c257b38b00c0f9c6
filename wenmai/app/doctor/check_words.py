"""What `wenmai doctor` says: its findings, and their texts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """A finding: True is well, None is worth knowing, False must be mended."""

    name: str
    ok: bool | None
    text: str
