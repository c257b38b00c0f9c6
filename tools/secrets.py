"""Removal of keys, as services spell them, from logs and traces."""

import re

SECRET = re.compile(
    r"AIza[\w-]{30,}|(?:sk|lsv2|ls)[-_][\w*-]{16,}|wm_[0-9a-f]{12}_[\w-]{16,}|(?i:bearer)\s+[\w.~+/-]{16,}"
)
REDACTED = "[redacted]"


def redacted(text: str) -> str:
    return SECRET.sub(REDACTED, text)
