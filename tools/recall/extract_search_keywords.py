"""extract_search_keywords: the keywords of a long question."""

from tools.messages import say
from tools.recall.context import MemoryContext
from tools.recall.inputs import KeywordsInput
from tools.recall.keywords import ExpandRequest
from tools.recall.outputs import KeywordsOutput, TypedKeyword


async def extract_search_keywords(arguments: KeywordsInput, call: MemoryContext) -> KeywordsOutput:
    """Return keywords by importance with their types, from one model call. Raises ModelError."""
    request = ExpandRequest(query=arguments.query, context=arguments.context, most=arguments.max_keywords)
    found = await call.store.expand(call.user_id, call.model, request)
    words = [TypedKeyword(keyword=one.keyword, weight=one.weight, type=one.type) for one in found.keywords]
    kept = words[: arguments.max_keywords]
    return KeywordsOutput(
        keywords=kept, expanded_query=found.expanded_query, message=say("recall.keywords_extracted", count=len(kept))
    )
