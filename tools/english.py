"""The declarations' descriptions in English: of each tool, and of `tool.parameter`. Names and schemas stay the same.

The Chinese ones are next to the tools' arguments.
"""

from collections.abc import Mapping

DESCRIPTIONS: Mapping[str, str] = {
    "vector_search": "General vector search, for plain facts and attributes; filters by chapters and by entity.",
    "vector_search.query": "search words or a question",
    "vector_search.top_k": "number of results",
    "vector_search.chapter_filter": "range of chapters [first, last], optional",
    "vector_search.part": "the part that the range of chapters counts in, optional",
    "vector_search.entity_filter": "only results that name this entity, optional",
    "graph_search": "Graph search, for relations (how are A and B related) and networks (who are A's friends).",
    "graph_search.entity": "name of the entity to start from",
    "graph_search.relation": "type of relation (friend_of, enemy_of, member_of, ...); without it all relations",
    "graph_search.depth": "hops from the entity",
    "track_entity": "An entity's passages in order of time, for developments (how did X develop).",
    "track_entity.entity": "name of the entity to track",
    "track_entity.chapter_range": "range of chapters [first, last], by default all",
    "track_entity.part": "the part that the range of chapters counts in, optional",
    "lookup_knowledge": "Looks an entity up in the knowledge graph: kind, aliases, description, direct relations. "
    "For “Who is X?” and “What is X?”.",
    "lookup_knowledge.entity": "name of the entity to look up",
    "lookup_knowledge.relation": "only relations of this type, optional; without it all relations",
    "find_connection": "Finds every relation between two entities, else the path from one to the other. For “How "
    "are X and Y related?”.",
    "find_connection.entity1": "name of the first entity",
    "find_connection.entity2": "name of the second entity",
    "track_journey": "An entity's relations in the order of the story. For “How did X develop?” and X's life.",
    "track_journey.entity": "name of the entity to track",
    "track_journey.target": "only relations with this entity, optional",
    "get_character_events": "A character's major events. For abstract questions (“How did X achieve Y?”): find the "
    "concrete events, then use search_memory.",
    "get_character_events.entity": "name of the character",
    "get_character_events.event_type": "type of event, optional",
    "search_memory": "Searches the story's text, for dialogue, words and scenes (what did X say).",
    "search_memory.query": "search words or a question, for the story's text",
    "search_memory.characters": "only passages that name one of these characters, optional",
    "search_memory.sort_by": "order: relevance, or time (of the story)",
    "search_memory.chapters": "range of chapters [first, last], optional",
    "search_memory.part": "only this part, optional",
    "list_characters": "Lists the people of the book, the most mentioned first: other names, the first "
    "chapter of each, a sentence that introduces them. For “Who are the main characters?” and “Where does X first "
    "appear?”.",
    "list_characters.top_k": "number of people",
    "list_characters.names": "only these people, optional; without it the most mentioned ones",
    "read_chapters": "Without chapters: lists all chapters. With chapters: their summaries, or the sentences of the "
    "text that tell most, in story order, short ones whole; with page their text page by page. For “How many chapters "
    "are there?”, “What happens in chapter N?” and “What is the book about?”.",
    "read_chapters.chapters": "range of chapters [first, last], negative ones count from the last; without it all "
    "chapters are listed",
    "read_chapters.part": "only this part, optional",
    "read_chapters.title": "only chapters with these words in their title (prologue, epilogue), optional",
    "read_chapters.titles_only": "lists only the titles of these chapters",
    "read_chapters.page": "reads the whole text of these chapters, page by page, from 1, optional",
    "read_chapters.sentences": "telling sentences in all, optional",
    "read_passage": "Reads a passage with its neighbours: by words in it, or the first or last one that names "
    "somebody, or several people together. For “How did A and B meet?” and “Where was X last seen?”.",
    "read_passage.quote": "a sentence or some words of the text, optional",
    "read_passage.names": "people whom the passage names, all of them, optional",
    "read_passage.which": "the first or the last one that names them",
    "read_passage.count": "number of passages",
    "read_passage.around": "neighbours on each side",
    "recall_memories": "Recalls the user's earlier conversations, preferences and conclusions. Use it where the "
    "question says before, last time, as I told you, or where the user's preferences are needed.",
    "recall_memories.query": "what to recall, described in a full sentence",
    "search_memories": "Searches the user's past memories. Use it 1. where the user speaks of something talked "
    "about before 2. where preferences or past operations are needed 3. to verify or quote earlier conclusions "
    "4. where the context refers to something unclear (“with the configuration from before”). Strategy: semantic "
    "for vague queries, keyword for clear words, else the default hybrid. Examples: “my database configuration” "
    '-> keywords=["database", "configuration"]; “the plan of last time” -> search_mode="semantic", '
    'query="the plan discussed last time"',
    "search_memories.query": 'what to search for, a description or words, for example "which database port '
    'did the user configure"',
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
    "knowledge_network_retrieval": "Retrieves from knowledge networks. First recall the schema by the whole "
    "question (enable_keyword_context=False), then instances and their direct neighbours by a keyword of the "
    "question (enable_keyword_context=True, with the object_type_id that the keyword belongs to; one keyword a "
    "call).",
    "knowledge_network_retrieval.query": "the whole question; with enable_keyword_context=True one keyword",
    "knowledge_network_retrieval.enable_keyword_context": "whether to recall by a keyword. True: instances by the "
    "keyword (needs a schema first); False: only the schema",
    "knowledge_network_retrieval.object_type_id": "the object type that the keyword belongs to, required with "
    "enable_keyword_context=True; for instance 'person' or 'disease'",
    "knowledge_network_retrieval.kn_ids": "ids of knowledge networks, only of this run's, optional; without it all",
    "knowledge_network_query": "Filters, counts, adds up and groups the instances of a knowledge network, for how "
    "many, which under a condition, which has the most, in total, on the average. Ids are those of the schema.",
    "knowledge_network_query.object_type_id": "which kind of instances is listed or counted",
    "knowledge_network_query.filters": "conditions that must all hold, each “path operation value”, such as "
    "price > 50 or product_supplier.country == Norway; a path is a property, behind relation ids joined by .; "
    "a path of relations alone is compared with names and ids of instances; ~ before a relation of a type with "
    "itself goes back; operations: == != >= <= > < contains starts lacks (none contains it; without a value: there "
    "is none)",
    "knowledge_network_query.aggregate": "list: the instances; count; sum, average, max, min: of property",
    "knowledge_network_query.property": "path of what is listed, sorted by or added up, optional",
    "knowledge_network_query.group_by": "path of the property or relation to tell the figure for each of, optional",
    "knowledge_network_query.order": "order by the value of property, or of the figure for groups: none, asc, desc",
    "knowledge_network_query.at": "time: only rows that hold then, of types with begin and end days, written 1950, "
    "2018-03, 1962-06-30 or 1980/1990, optional",
    "knowledge_network_query.limit": "number of instances or groups",
    "knowledge_network_query.kn_ids": "ids of knowledge networks, only of this run's, optional; without it all",
    "semantic_search": "Searches uploaded documents by meaning, for questions about their content.",
    "semantic_search.query": "question or description to search for",
    "semantic_search.top_k": "number of results",
    "keyword_search": "Searches uploaded documents for exact words: names, numbers, codes, phrases.",
    "keyword_search.keywords": "words separated by blanks; a phrase in double quotes",
    "keyword_search.limit": "number of results",
    "query_table": "Filters, counts, adds up, sorts and groups all rows of an uploaded table (CSV, Excel).",
    "query_table.document": "file name of the table, optional where there is one; leave it out to learn of tables "
    "and columns",
    "query_table.filters": "conditions that must all hold, each “column operation value”, such as price > 50; "
    "operations: == != >= <= > < contains starts lacks (none contains it; without a value: there is none)",
    "query_table.aggregate": "list: the rows; count; sum, average, max, min: of column",
    "query_table.column": "column that is sorted by or added up, optional",
    "query_table.group_by": "column to tell the figure for each value of, optional",
    "query_table.order": "order by the value of column, or of the figure for groups: none, asc, desc",
    "query_table.limit": "number of rows or groups",
    "list_documents": "Lists the documents that are there.",
    "list_documents.include_preloaded": "whether preloaded documents are listed too",
    "stop": "Ends the search. Call it when there is enough information to answer the question.",
    "stop.reason": "why: sufficient (enough information) / max_turns (limit reached) / not_found (nothing to find)",
}
