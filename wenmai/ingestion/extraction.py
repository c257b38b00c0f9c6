"""Relations and events by patterns."""

from wenmai.ingestion.contracts import Extraction, TaggedChapter


class PatternExtractor:
    """The deterministic Extractor."""

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        """Return what the chapter tells."""
        return Extraction()
