"""Labels, relation types, constraints and indexes in Neo4j.

One database holds many libraries: every node carries its library, and every unique key begins with it.
"""

SCHEMA_VERSION = 1
KNOWLEDGE_TEXT = "wenmai_knowledge_text"
CONSTRAINTS = (
    "CREATE CONSTRAINT wenmai_library IF NOT EXISTS FOR (n:Library) REQUIRE n.name IS UNIQUE",
    "CREATE CONSTRAINT wenmai_entity IF NOT EXISTS FOR (n:Entity) REQUIRE (n.library, n.name) IS UNIQUE",
    "CREATE CONSTRAINT wenmai_alias IF NOT EXISTS FOR (n:Alias) REQUIRE (n.library, n.text) IS UNIQUE",
    "CREATE CONSTRAINT wenmai_network IF NOT EXISTS FOR (n:KnowledgeNetwork) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT wenmai_instance IF NOT EXISTS FOR (n:KnowledgeInstance) REQUIRE (n.home, n.place) IS UNIQUE",
    "CREATE CONSTRAINT wenmai_event IF NOT EXISTS FOR (n:MajorEvent) REQUIRE (n.library, n.digest) IS UNIQUE",
)
INDEXES = (
    "CREATE INDEX wenmai_event_batch IF NOT EXISTS FOR (n:MajorEvent) ON (n.library, n.batch)",
    "CREATE INDEX wenmai_event_owner IF NOT EXISTS FOR (n:MajorEvent) ON (n.library, n.owner)",
    "CREATE INDEX wenmai_instance_key IF NOT EXISTS FOR (n:KnowledgeInstance) ON (n.scope, n.key)",
    "CREATE INDEX wenmai_instance_scope IF NOT EXISTS FOR (n:KnowledgeInstance) ON (n.scope)",
    "CREATE INDEX wenmai_value IF NOT EXISTS FOR (n:KnowledgeValue) ON (n.scope, n.value)",
    "CREATE INDEX wenmai_text_scope IF NOT EXISTS FOR (n:KnowledgeText) ON (n.scope)",
    "CREATE INDEX wenmai_instance_network IF NOT EXISTS FOR (n:KnowledgeInstance) ON (n.network)",
    "CREATE INDEX wenmai_value_network IF NOT EXISTS FOR (n:KnowledgeValue) ON (n.network)",
    "CREATE INDEX wenmai_text_network IF NOT EXISTS FOR (n:KnowledgeText) ON (n.network)",
    f"CREATE FULLTEXT INDEX {KNOWLEDGE_TEXT} IF NOT EXISTS FOR (n:KnowledgeText) ON EACH [n.scope, n.folded, n.words]"
    " OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}",
)
MARK = "MERGE (n:WenmaiSchema {name: 'stores'}) SET n.version = $version"
MARKED = "MATCH (n:WenmaiSchema {name: 'stores'}) RETURN n.version"
AWAIT_INDEXES = "CALL db.awaitIndexes(120)"
