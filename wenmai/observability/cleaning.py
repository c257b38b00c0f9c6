"""What takes identities, keys and folders out of what leaves a process: traces, spans, logs."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from tools.secrets import REDACTED, redacted
from wenmai.settings.settings import Settings

# Identities, wherever they are in a state: the owner of a thread among it.
PERSONAL = frozenset({"owner", "user_id", "account", "langgraph_auth_user", "langgraph_auth_user_id"})
TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
SECRET_CHARACTERS = 8  # a shorter value may well be a common word
LATER: set[str] = set()
"""Secrets that came to this process after its start, as JSON has them: every cleaner takes them out."""


def know(secrets: Iterable[str]) -> None:
    """Let every cleaner of this process, also one that was made before, take these secrets out from now on."""
    LATER.update(as_json(secrets))


def as_json(secrets: Iterable[str]) -> list[str]:
    return [json.dumps(secret, ensure_ascii=False)[1:-1] for secret in secrets if len(secret) >= SECRET_CHARACTERS]


def cleaner(secrets: Iterable[str], folders: Iterable[Path] = ()) -> Callable[[Any], Any]:
    """Return what removes identities from JSON, and keys: by their looks, and those of the settings by their values.

    Of a path below one of the folders, and of a file in a traceback, the name alone stays.
    """
    values = as_json(secrets)
    shorten = path_shortener(folders)

    def clean(value: Any) -> Any:
        text = json.dumps(impersonal(value, shorten), ensure_ascii=False)
        for secret in (*values, *LATER):
            text = text.replace(secret, REDACTED)
        return json.loads(redacted(text))

    return clean


def path_shortener(folders: Iterable[Path]) -> Callable[[str], str]:
    """Return what leaves of paths below these folders, and of files in tracebacks, the last name."""
    known = sorted({str(one) for one in folders if len(one.parts) > 1}, key=len, reverse=True)
    if not known:
        return str
    below = rf"(?<![\w./])(?:{'|'.join(map(re.escape, known))})(?![\w.-])[^\s\"'<>|:;,()（），。；：]*"
    pattern = re.compile(rf'{below}|(?<=File ")[^"]+(?=", line)')
    return lambda text: pattern.sub(lambda path: re.split(r"[/\\]+", path[0].rstrip("/\\"))[-1], text)


def folders_of(settings: Settings) -> list[Path]:
    """Return the folders of this machine that a text of this process may name."""
    own = (settings.data_dir, settings.trace_dir, settings.model_cache_dir, settings.fastembed_cache_path)
    process = (Path.home(), Path.cwd(), Path(tempfile.gettempdir()), Path(sys.prefix), Path(sys.base_prefix))
    named = [one.expanduser().absolute() for one in (*own, *process, Path(__file__).parents[2]) if one is not None]
    return [*named, *(one.resolve() for one in named)]


def impersonal(value: Any, text_of: Callable[[str], str] = str) -> Any:
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, list):
        return [impersonal(one, text_of) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: impersonal(one, text_of) for name, one in value.items() if name not in PERSONAL}


def secrets_of(settings: Settings) -> list[str]:
    """Return every secret of the settings, and the password in an address: an error may quote it alone."""
    found = (getattr(settings, name) for name in type(settings).model_fields)
    secrets = [value.get_secret_value() for value in found if isinstance(value, SecretStr)]
    return secrets + [password for secret in secrets for password in passwords_in(secret)]


def passwords_in(secret: str) -> list[str]:
    """Return the password of an address as it is written there, and as it is meant; none in what is no address."""
    try:
        written = urlsplit(secret).password or ""
    except ValueError:
        return []
    return [written, unquote(written)]


def disable_tracing(environment: Mapping[str, str] = os.environ) -> None:
    """Let nothing of this process be traced, whatever the environment asks for; the settings did not.

    Where these variables are set LangChain traces by itself, by a client that hides nothing.
    """
    if any(environment.get(name, "").strip().lower() == "true" for name in TRACING):
        import langsmith

        langsmith.configure(client=None, enabled=False)
