"""The memory tools' descriptions in English: of each tool, and of `tool.parameter`."""

from collections.abc import Mapping
from types import MappingProxyType

RECALL: Mapping[str, str] = MappingProxyType(
    {
        "recall_memories": "Recalls the user's earlier conversations, preferences and conclusions. Use it where the "
        "question says before, last time, as I told you, or where the user's preferences are needed.",
        "recall_memories.query": "what to recall, described in a full sentence",
        "search_memories": "Searches the user's past memories. Use it 1. where the user speaks of something talked "
        "about before 2. where preferences or past operations are needed 3. to verify or quote earlier conclusions "
        "4. where the context refers to something unclear (“with the configuration from before”). Strategy: semantic "
        "for vague queries, keyword for clear words, else the default hybrid. Examples: “my database configuration” "
        '-> keywords=["database", "configuration"]; “the plan of last time” -> search_mode="semantic", '
        'query="the plan discussed last time"',
        "search_memories.query": 'what to search for, a description or words, for example "the database parameters '
        'that the user configured"',
        "search_memories.search_mode": "semantic: by meaning, keyword: by words, hybrid: by both",
        "search_memories.keywords": 'optional exact keywords to filter by, for example ["database", "config"]',
        "search_memories.memory_types": 'filter by type, for example ["user_preference", "command_output", "general"]',
        "search_memories.time_range_days": "filter by time, memories of the last N days",
        "search_memories.limit": "number of results",
        "search_memories.min_relevance_score": "least relevance, memories below it are left out",
        "get_memory_detail": "Gets the whole content of one memory. Use it 1. where its summary is incomplete 2. where "
        "details are needed 3. where its metadata is needed. The memory_key comes from search_memories",
        "get_memory_detail.memory_key": "unique key of the memory (from the results of search_memories)",
        "get_memory_detail.offset": "character of the content to read from; to read on, next_offset of the last result",
        "extract_search_keywords": "Extracts keywords from a complex query (a helper). Use it 1. where the query is "
        "long and complex 2. where it is unclear which words to search for 3. to analyse what the user wants. Usually "
        "not needed, search_memories extracts keywords by itself",
        "extract_search_keywords.query": "the user's query",
        "extract_search_keywords.context": "optional context that helps to extract keywords",
        "extract_search_keywords.max_keywords": "keywords to extract, at most",
        "expand_context_window": "Asks for a larger context window. Use it 1. where results are poor and more messages "
        "are needed 2. where older talk is meant 3. where the context does not tell what the user means. Important: it "
        "ends this iteration at once, and the next one begins with more messages! Only while iterations are left. "
        'Example: reason="too few results, older messages are needed", requested_size=10',
        "expand_context_window.reason": 'why, for example "poor results, older messages are needed"',
        "expand_context_window.requested_size": "messages that are wanted",
        "handoff": "Ends the recall. Use it 1. where the results are put together 2. where nothing relevant can be "
        "found 3. where the last iteration is reached. Important: the recall ends at once; this is the only normal "
        'way out. Example: reason="3 relevant memories found, done" or "limit reached, the best results so far"',
        "handoff.reason": "why the task ends",
        "handoff.search_summary": "summary of the search: the relevant memories and what they say",
        "handoff.confidence": "how sure it is that the results are relevant, 0.0-1.0",
        "handoff.relevant_memory_keys": "keys of the relevant memories",
        "handoff.needs_more_info": "whether more information is needed to find the memory",
        "handoff.follow_up_question": "question to the user where more information is needed",
    }
)
