"""What a session knows of a network: its recalled schema, the instances met, the neighbours fetched."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tools.clock import MonotonicClock
from tools.networks.records import Account, Direction, ObjectType, PathResult, RelationType

# sliding expiry in seconds; sessions kept, and instances in each.
EXPIRY_S = 600.0
NOBODY = Account("anonymous", "anonymous")
MOST_SESSIONS = 1_000
MOST_INSTANCES = 500

InstanceKey = tuple[str, str]  # object type, instance id
LinkKey = tuple[InstanceKey, str, Direction]  # whose neighbours, along which relation, in which direction
Sent = tuple[LinkKey, InstanceKey]  # a neighbour that an answer has sent
SessionKey = tuple[str, str, str]  # account, session, network


@dataclass(slots=True)
class NetworkSession:
    """One session of one account with one network.

    `lock` is held from the first neighbour that a call asks for to its answer: what one call fetches the next one has,
    and the calls of a session together ask no more at once than one alone.

    Attributes:
        instances: properties of the instances that keywords matched, the most complete that were seen.
        links: neighbours that were fetched; `sent` those that an answer has sent.
    """

    object_types: dict[str, ObjectType] = field(default_factory=dict)
    relation_types: dict[str, RelationType] = field(default_factory=dict)
    instances: OrderedDict[InstanceKey, dict[str, Any]] = field(default_factory=OrderedDict)
    links: dict[LinkKey, PathResult] = field(default_factory=dict)
    sent: set[Sent] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def has_schema(self) -> bool:
        """Whether a schema call has saved anything."""
        return bool(self.object_types or self.relation_types)

    def keep(self, key: InstanceKey, properties: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Merge what was seen of an instance; return all that is known of it, and whether it is new.

        Beyond MOST_INSTANCES the one met longest ago is forgotten, with its neighbours.
        """
        known = self.instances.pop(key, None)
        merged = {**(known or {}), **{n: v for n, v in properties.items() if v is not None or n not in (known or {})}}
        self.instances[key] = merged
        while len(self.instances) > MOST_INSTANCES:
            self.forget(next(iter(self.instances)))
        return merged, known is None

    def forget(self, key: InstanceKey) -> None:
        """Drop an instance and what hangs on it."""
        del self.instances[key]
        self.links = {link: found for link, found in self.links.items() if link[0] != key}
        self.sent = {pair for pair in self.sent if pair[0][0] != key}


@dataclass(slots=True)
class NetworkSessions:
    """The sessions of a process; one that was not used for `expiry_s` seconds is gone."""

    clock: MonotonicClock = monotonic
    expiry_s: float = EXPIRY_S
    most: int = MOST_SESSIONS
    _kept: OrderedDict[SessionKey, tuple[float, NetworkSession]] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: SessionKey) -> NetworkSession | None:
        """Return a session that is alive, and keep it alive for as long again."""
        expires, session = self._kept.get(key, (0.0, None))
        if session is None:
            return None
        if self.clock() >= expires:
            del self._kept[key]
            return None
        self._kept[key] = (self.clock() + self.expiry_s, session)
        self._kept.move_to_end(key)
        return session

    def open(self, key: SessionKey) -> NetworkSession:
        """Return a session, a new one where there is none; beyond `most` the one used longest ago is forgotten."""
        session = self.get(key) or NetworkSession()
        self._kept[key] = (self.clock() + self.expiry_s, session)
        self._kept.move_to_end(key)
        while len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return session
