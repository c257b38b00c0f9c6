"""What the guide says of the two modes (S004-29)."""

import re
from pathlib import Path

from wenmai.settings.settings import Settings

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "documents.md"


def test_architecture_modes() -> None:
    """S004-29: the difference, a configuration example, the table of variables; tests/docs runs its commands."""
    section = GUIDE.read_text(encoding="utf-8").split("## Architecture Modes", 1)[1]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row.split("|")[1])}
    assert {"USE_FUNCTION_CALLING", "MAX_FUNCTION_CALLS", "ENABLE_SEMANTIC_SEARCH_TOOL"} <= documented
    assert documented <= {name.upper() for name in Settings.model_fields}
    assert "| | `rag` | `agent` |" in section and "USE_FUNCTION_CALLING=true\n" in section
    assert "--mode rag" in section and "--mode agent" in section
