"""What takes identities and keys out of what leaves a process: traces, spans, logs."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from tools.secrets import REDACTED, redacted
from wenmai.settings.settings import Settings

# Identities, wherever they are in a state: the owner of a thread among it.
PERSONAL = frozenset({"owner", "user_id", "account", "langgraph_auth_user", "langgraph_auth_user_id"})
TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
SECRET_CHARACTERS = 8  # a shorter value may well be a common word


def cleaner(secrets: Iterable[str]) -> Callable[[Any], Any]:
    """Return what removes identities from JSON, and keys: by their looks, and those of the settings by their values."""
    values = [json.dumps(secret, ensure_ascii=False)[1:-1] for secret in secrets if len(secret) >= SECRET_CHARACTERS]

    def clean(value: Any) -> Any:
        text = json.dumps(impersonal(value), ensure_ascii=False)
        for secret in values:
            text = text.replace(secret, REDACTED)
        return json.loads(redacted(text))

    return clean


def impersonal(value: Any) -> Any:
    if isinstance(value, list):
        return [impersonal(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: impersonal(one) for name, one in value.items() if name not in PERSONAL}


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
