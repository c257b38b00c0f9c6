"""What a hunt for leaks compares of one library, and the mind whose requests it hears."""

from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage

from benchmarks.leak_books import Book, Leak
from nodes.roles import Mind, PlanRequest


@dataclass(slots=True)
class Hunt:
    """Compares what is seen of one library with its book, and keeps the leaks."""

    book: Book
    library: str
    is_guarded: bool = True
    texts: set[str] = field(default_factory=set)
    compared: int = 0
    questions: int = 0
    summaries: int = 0
    leaks: list[Leak] = field(default_factory=list)

    @property
    def guard(self) -> dict[str, Any]:
        """The guard as fields of a context; the part is left to be found where it is the first."""
        horizon = self.book.horizon
        named = {"as_of_part": horizon.part} if horizon.part > 1 else {}
        return {"as_of_chapter": horizon.chapter, **named} if self.is_guarded else {}

    @property
    def options(self) -> list[str]:
        """The guard as options of a command."""
        return [word for name, value in self.guard.items() for word in (f"--{name.replace('_', '-')}", str(value))]

    def see(self, value: object, typed: str, where: str) -> None:
        """Compare anything that a user or a model sees."""
        seen: set[str] = set()
        self.leaks += self.book.leaks_of_record(plain(value), typed, where, seen)
        self.compared += len(seen)
        self.texts |= seen


def plain(value: object) -> object:
    """Return requests and messages as plain data."""
    if isinstance(value, BaseMessage):
        return [value.text, getattr(value, "tool_calls", [])]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


@dataclass(frozen=True, slots=True)
class Overheard:
    """A role of a mind whose requests are kept, whatever its method is called."""

    role: Any
    requests: list[object]

    def __getattr__(self, name: str) -> Any:
        """Return the role's method, which keeps what it is asked."""
        method = getattr(self.role, name)

        async def kept(request: object) -> Any:
            # What shows the reply is no part of the request.
            self.requests.append(replace(request, stream=None) if isinstance(request, PlanRequest) else request)
            return await method(request)

        return kept if callable(method) else method


def overheard(mind: Mind, requests: list[object]) -> Mind:
    """Return a mind whose requests are kept."""
    return replace(
        mind,
        resolver=Overheard(mind.resolver, requests),
        planner=Overheard(mind.planner, requests),
        grader=Overheard(mind.grader, requests),
        refiner=Overheard(mind.refiner, requests),
        recaller=Overheard(mind.recaller, requests),
        learner=Overheard(mind.learner, requests),
    )
