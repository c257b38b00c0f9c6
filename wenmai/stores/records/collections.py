"""What a collection of points on a server is, whichever server it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tools.errors import EmbedderMismatch
from tools.wording import Message, Text, Words
from wenmai.embedders.names import same
from wenmai.stores.records.vector_policy import IndexKind

MODEL = Words("{name}（{dimension} 维）", "{name} (dimension {dimension})")
OTHER_EMBEDDER = Words(
    "{label}由嵌入模型 {built}建立，当前为 {now}：请换回原来的 EMBEDDING_MODEL，{remedy}",
    "the embedding model {built} made the {label}, but {now} is set: go back to the old EMBEDDING_MODEL, {remedy}",
)
PASSAGE_LABEL = Words("段落", "passages")
MEMORY_LABEL = Words("记忆", "memories")
DOCUMENT_LABEL = Words("文档", "documents")
REEMBED = Words("或用 wenmai reembed 换用新的模型", "or move to the new model by wenmai reembed")
REIMPORT = Words("或先 wenmai memory export 再重新导入", "or wenmai memory export first, then import again")


@dataclass(frozen=True, slots=True)
class CollectionPlan:
    """What a collection is.

    Attributes:
        label: what it holds, as messages name it.
        fields: what is indexed.
        remedy: what to do about another embedder, instead of going back to the old one.
    """

    label: Words
    fields: Mapping[str, IndexKind]
    remedy: Words

    def require_same(self, built: tuple[str, int] | None, embedder: str, dimension: int) -> None:
        """Raise EmbedderMismatch unless a collection was built with this embedder, or is not there yet."""
        if built is not None and not (same(embedder, built[0]) and built[1] == dimension):
            raise EmbedderMismatch(other_embedder(self.label, built, (embedder, dimension), self.remedy))


def other_embedder(label: Words, built: tuple[str, int], now: tuple[str, int], remedy: Text) -> Message:
    """Return the message about a collection that another embedder built; both with their dimensions."""
    old, new = (MODEL.of(name=name, dimension=dimension) for name, dimension in (built, now))
    return OTHER_EMBEDDER.of(label=label, built=old, now=new, remedy=remedy)


def collection_of(base: str, embedder: str) -> str:
    """Return the name of an embedder's collection: `<COLLECTION_NAME>_<embedder>`."""
    return f"{base}_{re.sub(r'[^0-9A-Za-z_.-]', '-', embedder)}"
