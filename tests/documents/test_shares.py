"""PLA-65: of the places for long work each user has a share, and what is short goes first."""

import asyncio

import pytest

from wenmai.documents.shares import Shares


async def hold(shares: Shares, user: str, size: int, begun: list[str], go: asyncio.Event) -> None:
    async with shares.place(user, size):
        begun.append(f"{user}{size}")
        await go.wait()


async def test_a_users_share_leaves_a_place_and_the_shortest_of_who_has_least_is_next() -> None:
    shares, begun, go = Shares(3, 2), list[str](), [asyncio.Event() for _ in range(6)]
    asked = [("a", 9), ("a", 8), ("a", 7), ("b", 5), ("b", 2), ("c", 3)]
    tasks = [asyncio.create_task(hold(shares, *one, begun, event)) for one, event in zip(asked, go, strict=True)]
    await asyncio.sleep(0.01)
    assert begun == ["a9", "a8", "b5"]
    go[0].set()
    await asyncio.sleep(0.01)
    assert begun[3:] == ["c3"]  # who has nothing yet, before a user's second
    go[3].set()
    await asyncio.sleep(0.01)
    assert begun[4:] == ["b2"]
    for event in go:
        event.set()
    await asyncio.gather(*tasks)
    assert begun[5:] == ["a7"]


async def test_who_leaves_gives_its_place_back() -> None:
    shares, begun, go = Shares(1, 1), list[str](), asyncio.Event()
    first, second = (asyncio.create_task(hold(shares, user, 1, begun, go)) for user in "ab")
    await asyncio.sleep(0.01)
    second.cancel()
    first.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    go.set()
    await asyncio.wait_for(hold(shares, "c", 1, begun, go), 1)
    assert begun == ["a1", "c1"]


async def test_work_that_goes_on_without_its_caller_holds_its_place() -> None:
    shares, go, ended = Shares(1, 1), asyncio.Event(), list[str]()

    async def work(name: str) -> None:
        await go.wait()
        ended.append(name)

    caller = asyncio.create_task(shares.run("a", 1, lambda: work("a")))
    await asyncio.sleep(0.01)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    other = asyncio.create_task(shares.run("b", 1, lambda: work("b")))
    await asyncio.sleep(0.01)
    assert not ended
    go.set()
    await asyncio.wait_for(other, 1)
    assert ended == ["a", "b"]


async def test_who_leaves_as_another_ends_takes_no_place_along() -> None:
    """Both in one round of the loop: the place goes to the next that still waits."""
    shares, begun, go = Shares(1, 1), list[str](), asyncio.Event()
    go.set()
    async with shares.place("a", 1):
        leaving, staying = (asyncio.create_task(hold(shares, user, 1, begun, go)) for user in "bc")
        await asyncio.sleep(0.01)
        leaving.cancel()
    await asyncio.wait_for(staying, 1)
    assert begun == ["c1"] and leaving.cancelled()
