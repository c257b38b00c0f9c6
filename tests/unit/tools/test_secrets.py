"""Keys in texts that are logged or traced."""

from datetime import UTC, datetime

import pytest

from tools.secrets import REDACTED, redacted
from wenmai.access.keys import new_key


@pytest.mark.parametrize(
    "key",
    [
        "AIza" + "x" * 35,
        "sk-" + "a" * 20,
        "lsv2_pt_" + "b" * 20,
        "lsv2_" + "*" * 30 + "55",
        new_key("甲", datetime.now(UTC)).token,
    ],
    ids=["Google", "OpenAI", "LangSmith", "LangSmith, shown in part", "ours"],
)
def test_keys_are_taken_out(key: str) -> None:
    """Those of services, and those of our own server."""
    assert redacted(f"我的钥匙是 {key}，记住") == f"我的钥匙是 {REDACTED}，记住"
