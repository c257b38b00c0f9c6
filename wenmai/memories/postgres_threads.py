"""Take forgotten memories out of the threads that PostgreSQL keeps: checkpoints, their values, their pending writes."""

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from wenmai.checkpoints.postgres import marked, unmarked
from wenmai.checkpoints.serde import CompressedSerializer
from wenmai.memories.forgetting import Quotes, ThreadCounts
from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors

# Plain values, the owner among them, are kept in the checkpoint itself.
OWNERS = """
SELECT DISTINCT ON (thread_id) thread_id, checkpoint -> 'channel_values' ->> 'owner' FROM checkpoints
ORDER BY thread_id, checkpoint_id DESC
"""
THERE = "SELECT to_regclass('checkpoints') IS NOT NULL"
VALUES = ("checkpoint_blobs", "checkpoint_writes")
# A turn of another process may write meanwhile: rows that were read stay as they are until they are written.
CHECKPOINTS = """
SELECT ctid::text, thread_id, checkpoint -> 'channel_values' FROM checkpoints WHERE thread_id = ANY(%s) FOR UPDATE
"""
SET_CHECKPOINT = """
UPDATE checkpoints SET checkpoint = jsonb_set(checkpoint, '{channel_values}', %s) WHERE ctid = %s::tid
"""
Base = psycopg.Connection[tuple[Any, ...]]


def clean_postgres_threads(uri: str, user_id: str, quotes: Quotes) -> ThreadCounts:
    """Clean the threads that this user owns; others are not read. Raises StoreError."""
    with postgres_errors(address_of(uri)), psycopg.connect(bounded(uri), autocommit=True) as base:
        if not base.execute(THERE).fetchall()[0][0]:
            return ThreadCounts(frozenset(), frozenset(), frozenset())
        owners: dict[str, str | None] = dict(base.execute(OWNERS).fetchall())
        own = sorted(thread for thread, owner in owners.items() if owner is not None and unmarked(owner) == user_id)
        with base.transaction():
            changed = {*_clean_values(base, own, quotes), *_clean_checkpoints(base, own, quotes)}
        if changed:  # what was written over stays in the tables until they are swept
            for table in ("checkpoints", *VALUES):
                base.execute(f"VACUUM {table}")
    return ThreadCounts(frozenset(own), frozenset(owners), frozenset(changed))


def _clean_values(base: Base, own: list[str], quotes: Quotes) -> Iterator[str]:
    serde = CompressedSerializer()
    for table in VALUES:
        question = (
            f"SELECT ctid::text, thread_id, type, blob FROM {table} "
            "WHERE thread_id = ANY(%s) AND blob IS NOT NULL FOR UPDATE"
        )
        for row, thread, kind, data in base.execute(question, (own,)).fetchall():
            value = None if kind == "empty" else serde.loads_typed((kind, data))
            clean = quotes.without(value)
            if clean is not value:
                new = serde.dumps_typed(clean)
                base.execute(f"UPDATE {table} SET type = %s, blob = %s WHERE ctid = %s::tid", (*new, row))
                yield thread


def _clean_checkpoints(base: Base, own: list[str], quotes: Quotes) -> Iterator[str]:
    for row, thread, values in base.execute(CHECKPOINTS, (own,)).fetchall():
        plain = {name: unmarked(value) for name, value in (values or {}).items()}
        clean = quotes.without(plain)
        if clean is not plain:
            written = {name: marked(value) for name, value in clean.items()}
            base.execute(SET_CHECKPOINT, (Jsonb(written), row))
            yield thread
