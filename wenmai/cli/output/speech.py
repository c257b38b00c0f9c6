"""The language of labels: that of --language, else of the question, else of the terminal."""

import os
from collections.abc import Mapping
from typing import Any, Literal

Spoken = Literal["zh", "en"]

VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
PLAIN = ("", "C", "POSIX")
"""Locales that name no language."""


def terminal_language(environment: Mapping[str, str] = os.environ) -> Spoken:
    """Return English where the locale names a language other than Chinese."""
    named = next((value for name in VARIABLES if (value := environment.get(name))), "")
    return "zh" if named.partition(".")[0].partition("@")[0] in PLAIN or named.lower().startswith("zh") else "en"


def with_language(context: dict[str, Any], question: str) -> dict[str, Any]:
    """Return the fields of a run with the terminal's language where neither they nor the question have one."""
    from tools.language import language_of

    is_open = context.get("language", "auto") == "auto" and language_of(question) is None
    return {**context, "language": terminal_language()} if is_open else context


def label_language(context: Mapping[str, Any], question: str) -> Spoken:
    from tools.language import language_of

    named = context.get("language", "auto")
    return language_of(question) or terminal_language() if named == "auto" else named
