"""Searches among many users' memories with synthetic vectors: time, growth, and that nobody sees another's."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

from tools.memory.ranking import MemoryRanking
from tools.memory.records import FoundMemories, Memory, MemoryQuery, SemanticScale
from wenmai.language.segmenting import cut
from wenmai.stores.edge.collections import edge_memories
from wenmai.stores.vectors.memories import VectorMemoryStore

DIMENSION = 384
EACH = 100  # memories of a user
SIZES = (100, 1_000)  # users
SEARCHES = 300
AT_ONCE = 200
BATCH_USERS = 20
WORDS = (
    *("数据库", "配置", "方案", "报告", "服务器", "接口", "日志", "部署", "备份", "缓存"),
    *("索引", "会议", "旅行", "爬山", "吉他", "花店", "纪录片", "电影", "面试", "预算"),
)
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
ANYTHING = SemanticScale(-1.0, 1.0)


@dataclass
class Vectors:
    """An embedder whose texts have made-up vectors: the same text, the same vector."""

    name: str = "synthetic"
    dimension: int = DIMENSION

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Nothing to prepare."""

    async def embed_query(self, text: str) -> list[float]:
        """Return the vector of a text."""
        return vectors(abs(hash(text)) % 2**32, 1)[0]

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts."""
        return [await self.embed_query(text) for text in texts]


def vectors(seed: int, count: int) -> list[list[float]]:
    """Return unit vectors."""
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    found: list[list[float]] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).tolist()
    return found


def memories_of(user: int) -> list[Memory]:
    """Return a user's memories; their content names the user."""
    random = np.random.default_rng(user)
    return [
        Memory(
            memory_key=f"m{n}",
            user_id=f"user-{user}",
            content=" ".join([f"属于{user}号用户", *random.choice(WORDS, 8)]),
            created_at=BEGUN + timedelta(hours=n),
        )
        for n in range(EACH)
    ]


async def filled(store: VectorMemoryStore, users: int) -> float:
    """Write the memories of all users and return the seconds it took."""
    begun = time.perf_counter()
    for first in range(0, users, BATCH_USERS):
        rows = [row for user in range(first, min(first + BATCH_USERS, users)) for row in memories_of(user)]
        await store.put(rows, vectors(first, len(rows)))
    await store.collection.optimize()
    return time.perf_counter() - begun


async def searched(ranking: MemoryRanking, user: int, text: str) -> FoundMemories:
    """Search a user's memories."""
    return await ranking.find(f"user-{user}", MemoryQuery(query=text, limit=10, min_score=0.0))


def strangers(user: int, found: FoundMemories) -> int:
    """Count what a user got that belongs to another."""
    own = (f"user-{user}", f"属于{user}号用户 ")
    return sum(row.memory.user_id != own[0] or not row.memory.content.startswith(own[1]) for row in found.found)


async def one_by_one(ranking: MemoryRanking, users: int) -> dict[str, Any]:
    """Search as one user after the other, with queries whose vectors are known."""
    spent: list[float] = []
    wrong = 0
    for n in range(SEARCHES + 10):
        user, text = (n * 7919) % users, " ".join(WORDS[n % 10 :: 7])
        begun = time.perf_counter()
        found = await searched(ranking, user, text)
        spent.append((time.perf_counter() - begun) * 1000)
        wrong += strangers(user, found) + (found.total != EACH)
    cuts = quantiles(spent[10:], n=20)
    return {"p50_ms": round(median(spent[10:]), 2), "p95_ms": round(cuts[18], 2), "wrong": wrong}


async def all_at_once(ranking: MemoryRanking, users: int) -> dict[str, Any]:
    """Search as many users at the same time and check every result."""
    asked = [(n * 7919) % users for n in range(AT_ONCE)]
    begun = time.perf_counter()
    found = await asyncio.gather(*(searched(ranking, user, "数据库 配置") for user in asked))
    seconds = time.perf_counter() - begun
    wrong = sum(strangers(user, one) for user, one in zip(asked, found, strict=True))
    checked = sum(len(one.found) for one in found)
    return {"searches": AT_ONCE, "seconds": round(seconds, 3), "results_checked": checked, "of_others": wrong}


async def measured(folder: Path, users: int) -> dict[str, Any]:
    """Fill a store and measure it."""
    embedder = Vectors()
    store = edge_memories(folder, embedder.name)
    seconds = await filled(store, users)
    ranking = MemoryRanking(store, embedder, cut, ANYTHING, lambda: BEGUN + timedelta(days=30))
    single = await one_by_one(ranking, users)
    together = await all_at_once(ranking, min(users, AT_ONCE))
    await store.close()
    return {"memories": users * EACH, "users": users, "put_s": round(seconds, 1), **single, "at_once": together}


async def scaled(folder: Path) -> dict[str, Any]:
    """Measure both sizes and how much a search grows from one to the other."""
    sizes = [await measured(folder / str(users), users) for users in SIZES]
    return {"sizes": sizes, "growth": round(sizes[-1]["p50_ms"] / sizes[0]["p50_ms"], 2)}
