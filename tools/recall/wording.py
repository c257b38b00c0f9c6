"""Messages of the memory tools, in Chinese and English."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from tools.messages import Message

ErrorCode = Literal["timeout", "permission_denied", "not_found", "database_error", "invalid_input"]

# Every message names a remedy; a list of wrong fields is one.
REMEDIES: Mapping[ErrorCode, Message] = MappingProxyType(
    {
        "timeout": Message("recall.remedy_timeout"),
        "permission_denied": Message("recall.remedy_permission_denied"),
        "not_found": Message("recall.remedy_not_found"),
        "database_error": Message("recall.remedy_database_error"),
    }
)
# The beginning of each tool's failure message.
FAILURES: Mapping[str, Message] = MappingProxyType(
    {
        "search_memories": Message("recall.search_failed"),
        "get_memory_detail": Message("recall.detail_failed"),
        "extract_search_keywords": Message("recall.keywords_failed"),
        "expand_context_window": Message("recall.window_failed"),
        "handoff": Message("recall.handoff_failed"),
    }
)
AND = "; "
