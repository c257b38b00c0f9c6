"""The model service on the page of settings: chosen, tried and forgotten by who administers everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chromium import DESKTOP, PHONE, Theme, opened
from tests.browser.test_first_view import problems_of
from tests.gemini.space import LOOPBACK_MODEL
from tests.integration.own_server import serving, serving_nothing
from tests.openai_service.fixtures import answering, openai_server
from tests.openai_service.server import ChatServer
from tests.openai_service.space import OpenAI
from wenmai.settings.model_file import MODEL_FILE

__all__ = ["openai_server"]

KEY = "sk-chosen-key-0123456789"
WORDS = {
    "zh": {
        **{
            "choose": "选择模型",
            "address": "地址（不填则用服务自己的）",
            "model": "模型",
            "key": "密钥",
            "test": "测试模型",
        },
        **{"works": "模型可用", "fails": "模型不可用", "use": "使用这个模型", "kept": "不填则沿用 …6789"},
        **{"forget": "取消选择", "offline": "离线推理", "named": "由环境变量决定：OPENAI_API_KEY"},
    },
    "en": {
        **{"choose": "Choose the model", "address": "Address (empty", "model": "Model", "key": "Key"},
        **{"test": "Test the model", "works": "The model answers", "fails": "The model does not answer"},
        **{"use": "Use this model", "kept": "empty: …6789 stays", "forget": "Forget", "offline": "Offline reasoning"},
        **{"named": "The environment decides: OPENAI_API_KEY"},
    },
}


@pytest.fixture
def service(openai_server: ChatServer) -> Iterator[OpenAI]:
    with answering(openai_server, KEY) as space:
        yield space


@pytest.mark.parametrize(
    ("language", "size", "theme"), [("zh", DESKTOP, "light"), ("en", PHONE, "dark")], ids=["zh-desktop", "en-phone"]
)
def test_a_model_is_tried_then_answers(
    browser: Browser, tmp_path: Path, service: OpenAI, language: str, size: tuple[int, int], theme: Theme
) -> None:
    """PLA-142: a try keeps nothing; the key is not shown again, and may stay as it is; what was chosen is forgotten."""
    words = WORDS[language]
    with serving_nothing(tmp_path) as live, opened(browser, language=language, size=size, theme=theme) as (page, _):
        page.goto(f"{live.url}/#/settings")
        page.get_by_role("button", name=words["choose"]).click()
        dialog = page.get_by_role("dialog")
        assert problems_of(page) == []
        dialog.get_by_label(words["address"]).fill(service.url)
        dialog.get_by_label(words["model"], exact=True).fill(LOOPBACK_MODEL)
        for key, said in (("sk-mistyped", words["fails"]), (KEY, words["works"])):
            dialog.get_by_label(words["key"], exact=True).fill(key)
            dialog.get_by_role("button", name=words["test"]).click()
            expect(dialog.get_by_role("status").filter(has_text=said)).to_be_visible()
        dialog.get_by_label(words["model"], exact=True).press_sequentially("x")  # what was said held for another one
        expect(dialog.get_by_role("status").filter(has_text=words["works"])).to_have_count(0)
        dialog.get_by_label(words["model"], exact=True).fill(LOOPBACK_MODEL)
        assert problems_of(page) == [] and page.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        dialog.get_by_role("button", name=words["use"]).click()
        expect(dialog).to_have_count(0)
        facts = page.locator(".facts")
        expect(facts.filter(has_text=LOOPBACK_MODEL)).to_be_visible()
        expect(facts.filter(has_text=service.url)).to_contain_text("…6789")
        assert KEY not in page.content() + page.evaluate(
            "() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"
        )
        assert problems_of(page) == []
        page.get_by_role("button", name=words["choose"]).click()
        expect(dialog).to_contain_text(words["kept"])
        alerts = dialog.get_by_role("alert")
        dialog.get_by_label(words["address"]).fill("http://somebody@service.example/v1")  # is refused
        dialog.get_by_role("button", name=words["use"]).click()
        expect(alerts).to_have_count(1)
        dialog.get_by_label(words["address"]).press_sequentially("x")  # what was said held for another one
        expect(alerts).to_have_count(0)
        dialog.get_by_role("button", name=words["use"]).click()
        expect(alerts).to_have_count(1)
        dialog.get_by_role("button", name=words["forget"]).click()
        expect(page.get_by_text(words["offline"], exact=True)).to_be_visible()


def test_a_spoilt_file_leaves_the_other_cards(browser: Browser, tmp_path: Path) -> None:
    """PLA-142: its fault stands in the card of the model."""
    with serving_nothing(tmp_path) as live, opened(browser) as (page, _):
        (live.data / MODEL_FILE).write_text("{", encoding="utf-8")
        page.goto(f"{live.url}/#/settings")
        cards = page.locator(".settings-cards > .card")
        expect(cards.first.get_by_role("alert")).to_contain_text(MODEL_FILE)
        expect(cards.nth(1)).to_be_visible()
        (live.data / MODEL_FILE).unlink()
        cards.first.get_by_role("alert").get_by_role("button").click()
        expect(page.get_by_role("button", name=WORDS["zh"]["choose"])).to_be_visible()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_a_variable_says_is_named(browser: Browser, tmp_path: Path, language: str) -> None:
    """PLA-142: service and key cannot be typed where the environment names them."""
    words = WORDS[language]
    with serving(tmp_path, OPENAI_API_KEY=KEY) as live, opened(browser, language=language) as (page, _):
        page.goto(f"{live.url}/#/settings")
        expect(page.get_by_text(words["named"])).to_be_visible()
        page.get_by_role("button", name=words["choose"]).click()
        dialog = page.get_by_role("dialog")
        for label in ("address", "key"):
            expect(dialog.get_by_label(words[label])).to_be_disabled()
        expect(dialog.get_by_label(words["model"], exact=True)).to_be_enabled()
