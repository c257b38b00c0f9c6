"""A trace as a reader under a spoiler guard may see it."""

from typing import Any

from tools.records import Horizon

KEPT = ("trace_id", "graph", "query", "user_id", "library", "as_of", "config", "started_at", "total_duration_ms")
KEPT_VERDICT = ("passed", "outcome", "confidence", "status", "thread_id", "mode", "degraded", "usage")


def as_read(record: dict[str, Any], horizon: Horizon | None) -> dict[str, Any]:
    """Return the trace whole if its question saw no more of the story than this reader, else without what it tells.

    What remains is the question as it was asked, times, verdict and cost. Traces that do not name their guard saw
    everything, and so did recalls: their memories may come from any story.
    """
    if horizon is None or is_shown(record, horizon):
        return record
    kept = {key: record[key] for key in (*KEPT, *KEPT_VERDICT) if key in record}
    told: dict[str, Any] = {"final_response": "", "withheld": True}
    if "attempts" not in record:
        return {**kept, **told, "tool_calls": []}
    return {**kept, **told, "resolved_query": record["query"], "resolutions": [], "attempts": []}


def is_shown(record: dict[str, Any], horizon: Horizon) -> bool:
    """Return True if a trace was recorded under a guard that is no later."""
    seen = record.get("as_of")
    return "attempts" in record and isinstance(seen, dict) and horizon.shows(seen.get("part"), seen.get("chapter"))
