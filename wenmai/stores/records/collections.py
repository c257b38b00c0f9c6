"""What a collection of points on a server is, whichever server it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tools.errors import EmbedderMismatch
from wenmai.embedders.names import same
from wenmai.stores.records.vector_policy import IndexKind


@dataclass(frozen=True, slots=True)
class CollectionPlan:
    """What a collection is.

    Attributes:
        label: what it holds, as messages name it.
        fields: what is indexed.
        remedy: what to do about another embedder, behind 请换回原来的 EMBEDDING_MODEL.
    """

    label: str
    fields: Mapping[str, IndexKind]
    remedy: str

    def require_same(self, built: tuple[str, int] | None, embedder: str, dimension: int) -> None:
        """Raise EmbedderMismatch unless a collection was built with this embedder, or is not there yet."""
        if built is not None and not (same(embedder, built[0]) and built[1] == dimension):
            raise EmbedderMismatch(
                f"{self.label}由嵌入模型 {built[0]}（{built[1]} 维）建立，"
                f"当前为 {embedder}（{dimension} 维）：请换回原来的 EMBEDDING_MODEL，{self.remedy}"
            )


def collection_of(base: str, embedder: str) -> str:
    """Return the name of an embedder's collection: `<COLLECTION_NAME>_<embedder>`."""
    return f"{base}_{re.sub(r'[^0-9A-Za-z_.-]', '-', embedder)}"
