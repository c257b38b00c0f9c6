"""Which mind answers, with which models (platform.md §4)."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from nodes.policy import SEARCH_LIMITS
from tools.errors import ConfigError
from wenmai.app.container import Services
from wenmai.app.doctor import check_mind
from wenmai.minds.choice import endpoint_of, role_models
from wenmai.settings.models import prices_on
from wenmai.settings.settings import OFFLINE_SEARCH_LIMITS, Settings, load_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no `.env`."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_a_key_chooses_gemini(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-40 S003-04 LOP-11: with a key Gemini answers and the offline mind stands behind it; limits follow."""
    monkeypatch.setenv(name, "k")
    services = Services(load_settings())
    parts = services.assembly.dependencies()
    assert parts.mind.name == "gemini" and parts.fallback is services.assembly.offline
    assert parts.policy.search_limits == SEARCH_LIMITS
    assert parts.mind.ranker is services.assembly.offline.ranker


@pytest.mark.parametrize("key", [None, "", "   "])
def test_without_a_key_the_offline_mind(key: str | None, caplog: pytest.LogCaptureFixture) -> None:
    """LOP-09 S000-40: no key, no model; said once."""
    caplog.set_level("INFO")
    services = Services(load_settings(google_api_key=key))
    first, second = services.assembly.dependencies(), services.assembly.dependencies()
    assert (first.mind.name, first.fallback) == ("offline", None) and second.mind is first.mind
    assert first.policy.search_limits == OFFLINE_SEARCH_LIMITS
    assert caplog.text.count("没有设置 GOOGLE_API_KEY") == 1


def test_names_of_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-40 S003-03 S003-22: aliases, and refiner and resolver default to the agent's model."""
    for name, value in {
        "LLM_MODEL": "agent-x",
        "GRADER_MODEL": "grader-x",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9",
        "GRADER_THINKING": "high",
        "RESOLVER_TEMPERATURE": "0.5",
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings(google_api_key="k")
    models = role_models(settings)
    assert [models.agent.id, models.grader.id, models.refiner.id, models.resolver.id] == [
        "agent-x",
        "grader-x",
        "agent-x",
        "agent-x",
    ]
    assert [models.grader.variable, models.refiner.variable] == ["GRADER_MODEL", "GEMINI_MODEL"]
    assert (models.grader.thinking, models.resolver.temperature) == ("high", 0.5)
    assert endpoint_of(settings).base_url == "http://127.0.0.1:9"
    monkeypatch.setenv("REFINER_MODEL", "refiner-x")
    refiner = role_models(load_settings(google_api_key="k")).refiner
    assert (refiner.id, refiner.variable) == ("refiner-x", "REFINER_MODEL")


@pytest.mark.parametrize("service", [{"google_api_key": "k"}, {"openai_api_key": "k"}])
def test_one_cheaper_model_grades_and_resolves(service: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """S003-03: SMALL_MODEL, where the role names none of its own; the other roles keep the agent's."""
    monkeypatch.setenv("SMALL_MODEL", "small-x")
    models = role_models(load_settings(**service))
    assert (models.grader.id, models.resolver.id, models.grader.variable) == ("small-x", "small-x", "SMALL_MODEL")
    assert models.agent.id == models.searcher.id == models.refiner.id != "small-x"
    monkeypatch.setenv("GRADER_MODEL", "grader-x")
    own = role_models(load_settings(**service))
    assert (own.grader.id, own.grader.variable, own.resolver.id) == ("grader-x", "GRADER_MODEL", "small-x")


def test_what_bounds_and_adds_to_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """S003-03 LOP-27: for every role, and every request of OpenAI's protocol."""
    for name, value in {"CONTEXT_TOKENS": "8000", "OUTPUT_TOKENS": "900", "EXTRA_BODY": '{"seed": 7}'}.items():
        monkeypatch.setenv(name, value)
    settings = load_settings(openai_api_key="k")
    models = role_models(settings)
    assert all((one.context_tokens, one.output_tokens) == (8000, 900) for one in (models.agent, models.grader))
    assert endpoint_of(settings).extra_body == {"seed": 7}


def test_gemini_model_wins_over_its_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    """S003-03: GEMINI_MODEL, alias LLM_MODEL."""
    monkeypatch.setenv("GEMINI_MODEL", "one")
    monkeypatch.setenv("LLM_MODEL", "two")
    assert load_settings().gemini_model == "one"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ON_MODEL_FAILURE", "cry"),
        ("GEMINI_TEMPERATURE", "3"),
        ("MODEL_PRICES", "[1]"),
        ("MODEL_PRICES", "{"),
        ("GRADER_THINKING", "much"),
    ],
)
def test_wrong_settings_name_their_variable(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-40: a wrong value is one clear error."""
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=f"(?i){name}"):
        load_settings()


def test_prices_that_are_no_json_are_shown_how_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-40: the variable by its own name and an example, in one line."""
    monkeypatch.setenv("MODEL_PRICES", "bad")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    text = str(caught.value)
    assert text.startswith("MODEL_PRICES: must be JSON") and '{"input"' in text
    assert "EnvSettingsSource" not in text and "\n" not in text


def test_prices_of_the_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    """S000-D16: MODEL_PRICES adds to what is known and replaces it."""
    known = next(iter(load_settings().policy().prices))
    own = {"own": {"input": 1, "output": 2}, known: {"input": 0, "output": 0}}
    monkeypatch.setenv("MODEL_PRICES", json.dumps(own))
    prices = load_settings().policy().prices
    assert (prices["own"].output, prices[known].input) == (2, 0)


def test_the_default_models_have_prices() -> None:
    """Money is known without a setting, also behind the day on which a price changes."""
    settings = load_settings(_env_file=None)
    for day, factor in ((date(2026, 12, 31), 1), (date(2027, 1, 1), 2)):
        prices = prices_on(day)
        assert prices[settings.gemini_model].input == 0.75 * factor and settings.grader_model in prices


def test_doctor_shows_the_mind() -> None:
    """S003-03: models, endpoint and what a failure leads to; the key is never shown."""
    without = check_mind(load_settings())
    assert without.ok is None and "离线" in without.text
    settings: Settings = load_settings(google_api_key="very-secret", gemini_base_url="http://127.0.0.1:9")
    shown = check_mind(settings)
    assert shown.ok and settings.gemini_model in shown.text and "http://127.0.0.1:9" in shown.text
    assert "secret" not in shown.text and "secret" not in repr(endpoint_of(settings))


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"model_provider": "gemini", "openai_base_url": "http://127.0.0.1:9/v1", "openai_model": "m"}, "OPENAI_*"),
        ({"model_provider": "openai", "google_api_key": "k"}, "GOOGLE_API_KEY"),
    ],
)
def test_doctor_names_a_provider_that_is_not_set_up(given: dict[str, Any], named: str) -> None:
    """S000-40: it is MODEL_PROVIDER that is wrong, not the variables of the other service; that fails the check."""
    shown = check_mind(load_settings(**given))
    assert shown.ok is False
    assert shown.text.startswith(f"MODEL_PROVIDER={given['model_provider']}，但只设置了 {named}")
