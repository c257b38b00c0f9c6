"""What the READMEs say of the two modes (S004-29)."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VARIABLES = (
    "USE_FUNCTION_CALLING",
    "MAX_FUNCTION_CALLS",
    "ENABLE_SEMANTIC_SEARCH_TOOL",
    "ENABLE_KEYWORD_SEARCH_TOOL",
    "ENABLE_DOCUMENT_QUERY_TOOL",
)


@pytest.mark.parametrize(("name", "before"), [("README.md", "## Python"), ("README.zh.md", "## Python")])
def test_architecture_modes(name: str, before: str) -> None:
    """S004-29: the difference, a configuration example, the table of variables, a run of each mode."""
    text = (ROOT / name).read_text(encoding="utf-8")
    section = text.split("Architecture Modes", 1)[1].split(before, 1)[0]
    assert "| | `rag` | `agent` |" in section and "USE_FUNCTION_CALLING=true\n" in section
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert all(any(f"`{variable}`" in row for row in rows) for variable in VARIABLES)
    assert "--mode rag" in section and "--mode agent" in section
