"""A graph that an older version wrote."""

from pathlib import Path

import ladybug

from tools.records import Horizon
from wenmai.stores.graph.ladybug import GRAPH_FILE, TABLES, LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore


async def test_an_older_graph_opens_and_answers(tmp_path: Path) -> None:
    """What came later is added when it is opened; its records are as they were."""
    (tmp_path / "lib").mkdir()
    database = ladybug.Database(tmp_path / "lib" / GRAPH_FILE)
    connection = ladybug.Connection(database)
    for statement in (
        *TABLES,
        "CREATE (:Entity {name: '关羽', kind: 'Character', description: '', part: 1, chapter: 1, mentions: 2})",
        "CREATE (:Entity {name: '刘备', kind: 'Character', description: '', part: 1, chapter: 1, mentions: 2})",
        "MATCH (a:Entity {name: '关羽'}), (b:Entity {name: '刘备'}) CREATE (a)-[:RELATION {type: 'FRIEND_OF', part: 1,"
        " chapter: 1, task_id: 't', event_order: 0, evidence: '', description: '', offset: -1, owner: 't',"
        " batch: 'x'}]->(b)",
    ):
        connection.execute(statement)
    connection.close()
    database.close()
    graph = StoryGraphStore(LadybugEngine(tmp_path))
    try:
        for horizon in (None, Horizon(1, 1)):
            assert [name.text for name in await graph.names("lib", horizon)] == ["关羽", "刘备"]
            assert len(await graph.relations("lib", "关羽", horizon)) == 1
        assert await graph.relations("lib", "关羽", Horizon(1, 0)) == []
    finally:
        await graph.close()
