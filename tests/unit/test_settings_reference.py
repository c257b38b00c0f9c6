"""docs/reference/settings.md is generated from the settings' own descriptions."""

from pathlib import Path

import pytest

from tests.settings_reference import kind, page
from wenmai.settings.group import SettingsGroup, variables
from wenmai.settings.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_the_page_is_up_to_date() -> None:
    """Whoever changes a setting writes the page anew."""
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m tests.settings_reference > docs/reference/settings.md"
    )


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_described_once(name: str) -> None:
    """With its variables, and a sentence that says more than its name."""
    field = Settings.model_fields[name]
    lines = [line for line in page().splitlines() if line.startswith(f"| `{variables(name, field)[0]}`")]
    assert len(lines) == 1
    assert all(f"`{variable}`" in lines[0] for variable in variables(name, field))
    assert field.description and len(field.description.split()) >= 3


def test_each_setting_belongs_to_one_group() -> None:
    """No group hides another one's setting."""
    groups = [base for base in Settings.__bases__ if issubclass(base, SettingsGroup)]
    names = [name for group in groups for name in group.model_fields]
    assert sorted(names) == sorted(Settings.model_fields)
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("top_k_retrieval", "integer, 1 to 20"),
        ("gemini_temperature", "number, 0 to 2"),
        ("tool_timeout_s", "number, above 0"),
        ("max_attempts", "integer, 1 to 10"),
        ("use_mock_llm", "true or false"),
        ("log_level", "`DEBUG`, `INFO`, `WARNING`, `ERROR`"),
        ("google_api_key", "secret"),
        ("data_dir", "path"),
        ("search_limits", "JSON"),
    ],
)
def test_what_a_value_may_be(name: str, expected: str) -> None:
    """Types, ranges and choices are read from the fields."""
    assert kind(Settings.model_fields[name]) == expected
