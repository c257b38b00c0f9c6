"""What Gemini is told of the tools, in the form of its own library."""

from typing import Any

import pytest
from langchain_google_genai._function_utils import convert_to_genai_function_declarations

from tests.unit.tools.world import World
from tools.arguments import declare
from tools.dispatch import Toolbox
from tools.formatting import dump
from tools.networks.knowledge_network_query import KnowledgeNetworkQueryArguments as QueryArguments
from tools.toolboxes import toolbox_for
from wenmai.minds.model.providers.gemini import sdk_tools

PLAIN_TYPES = {"STRING", "INTEGER", "NUMBER", "BOOLEAN", "ARRAY"}
KEYS = {"type", "items", "enum", "description"}

STORY = {
    "vector_search": (
        "通用向量检索。用于简单事实查询、实体属性查询。支持章节范围和实体过滤。",
        {
            "query": ("STRING", "检索的关键词或问题"),
            "top_k": ("INTEGER", "返回结果数量（1..50，默认 10）"),
            "chapter_filter": ("ARRAY", "章节范围 [起始章节, 结束章节]，可选"),
            "part": ("INTEGER", "章节范围所在的部，可选"),
            "entity_filter": ("STRING", "过滤包含特定实体的结果，可选"),
        },
        ["query"],
    ),
    "graph_search": (
        "图结构检索。用于关系查询（如'A和B什么关系'）、社交网络查询（如'A的朋友有谁'）。",
        {
            "entity": ("STRING", "起始实体名称"),
            "relation": ("STRING", "关系类型(friend_of/enemy_of/member_of等)，不指定则查询所有关系"),
            "depth": ("INTEGER", "图遍历深度（1..3，默认 2）"),
        },
        ["entity"],
    ),
    "track_entity": (
        "实体时序追踪。用于事件演变查询（如'X如何发展'）、角色成长查询。返回按时间排序的结果。",
        {
            "entity": ("STRING", "要追踪的实体名称"),
            "chapter_range": ("ARRAY", "章节范围 [起始, 结束]，默认全范围"),
            "part": ("INTEGER", "章节范围所在的部，可选"),
        },
        ["entity"],
    ),
    "list_characters": (
        "列出书中人物：提到最多的在前，附别名、首次出现的章节和介绍此人的一句原文。"
        "用于“主要人物有谁？”、“X第一次出现在哪一章？”。",
        {
            "top_k": ("INTEGER", "人物数量（1..50，默认 10）"),
            "names": ("ARRAY", "只看这些人物，可选；不指定则按提到的多少列出"),
        },
        [],
    ),
    "read_chapters": (
        "不指定章节时列出所有章节；指定时按故事顺序返回这些章的概要，或最能说明内容的原文句子，短的返回全文；"
        "用 page 逐页读全文。用于“全书有几章？”、“第N章讲了什么？”、“这本书讲了什么？”。",
        {
            "chapters": ("ARRAY", "章节范围 [起始, 结束]，负数从最后一章数起；不指定则列出所有章节"),
            "part": ("INTEGER", "只看这一部，可选"),
            "title": ("STRING", "只看标题含有这些字的章，如楔子、番外，可选"),
            "titles_only": ("BOOLEAN", "只列出这些章的标题（默认 false）"),
            "page": ("INTEGER", "逐页通读这些章的全文，从 1 起，可选"),
            "sentences": ("INTEGER", "最能说明内容的句子共几句，可选"),
        },
        [],
    ),
    "read_passage": (
        "读一个段落及其前后文：按其中的原话找，或找最早、最后提到某人（或几人同时）的段落。"
        "用于“A和B怎么认识的？”、“X最后一次出现在哪？”。",
        {
            "quote": ("STRING", "原文里的一句话或几个字，可选"),
            "names": ("ARRAY", "段落里都提到的人物，可选"),
            "which": ("STRING", "最早或最后提到的（默认 first）"),
            "count": ("INTEGER", "段落数（1..5，默认 1）"),
            "around": ("INTEGER", "前后各带几段（0..5，默认 1）"),
        },
        [],
    ),
    "stop": (
        "停止检索。当已收集到足够信息可以回答问题时调用。",
        {"reason": ("STRING", "停止原因: sufficient(信息充分)/max_turns(达到上限)/not_found(无法找到)")},
        ["reason"],
    ),
}

NARRATIVE = {
    "lookup_knowledge": (["entity", "relation"], ["entity"]),
    "find_connection": (["entity1", "entity2"], ["entity1", "entity2"]),
    "track_journey": (["entity", "target"], ["entity"]),
    "get_character_events": (["entity", "event_type"], ["entity"]),
    "search_memory": (["query", "characters", "sort_by", "chapters", "part"], ["query"]),
    "list_characters": (["top_k", "names"], []),
    "read_chapters": (["chapters", "part", "title", "titles_only", "page", "sentences"], []),
    "read_passage": (["quote", "names", "which", "count", "around"], []),
    "stop": (["reason"], ["reason"]),
}


def toolbox(*toolkits: str) -> Toolbox:
    return toolbox_for(toolkits, World().tools())


def converted(*toolkits: str) -> dict[str, Any]:
    """Return Gemini's function declarations by name."""
    (tool,) = sdk_tools(dump(toolbox(*toolkits).declarations()))
    return {one.name or "": one for one in tool.function_declarations or []}


def test_declarations_are_converted_once_and_as_the_library_does() -> None:
    """S003-08: the same in every request; an object without properties is left out."""
    bare: dict[str, Any] = {
        "name": "now",
        "description": "The time.",
        "parameters": {"type": "object", "properties": {}},
    }
    tools = [*toolbox("story", "narrative").declarations(), *toolbox("narrative").declarations("en"), bare]
    found, again = sdk_tools(dump(tools)), sdk_tools(dump([*tools]))
    assert found is again and found == convert_to_genai_function_declarations(tools)


def test_story_declares_exactly_six_and_stop() -> None:
    """S000-01 S000-02 S000-21 S000-06 S000-11 S000-15: names, texts, parameters, types, required, after conversion."""
    found = converted("story")
    assert list(found) == list(STORY)
    for name, (description, parameters, required) in STORY.items():
        schema = found[name].parameters
        shown = {key: (one.type.value, one.description) for key, one in schema.properties.items()}
        assert (found[name].description, shown, schema.required) == (description, parameters, required)


@pytest.mark.parametrize("name", ["vector_search", "track_entity"])
def test_pairs_are_arrays_of_integers(name: str) -> None:
    """S000-21 S000-D03: a pair keeps its item type through the conversion."""
    properties = converted("story")[name].parameters.properties
    (pair,) = [one for one in properties.values() if one.type.value == "ARRAY"]
    assert pair.items.type.value == "INTEGER"


def test_narrative_declares_exactly_eight_and_stop() -> None:
    """S003-06 STO-01 S000-42: eight tools and stop, their parameters and required lists."""
    found = converted("narrative")
    shown = {n: (list(one.parameters.properties), one.parameters.required) for n, one in found.items()}
    assert shown == NARRATIVE
    events = found["get_character_events"].parameters.properties["event_type"]
    assert events.enum == [
        "sacrifice",
        "transformation",
        "acquisition",
        "loss",
        "encounter",
        "conflict",
        "revelation",
        "milestone",
    ]
    memory = found["search_memory"].parameters.properties
    assert memory["characters"].items.type.value == "STRING"
    assert memory["sort_by"].enum == ["relevance", "time"] and memory["chapters"].items.type.value == "INTEGER"
    assert "FRIEND_OF" in found["lookup_knowledge"].parameters.properties["relation"].enum


def test_limit_is_no_parameter() -> None:
    """STO-14 PLA-01: neither the number of rows nor any identity is declared."""
    declared = {key for one in converted("story", "narrative").values() for key in one.parameters.properties}
    assert not declared & {"limit", "user_id", "library", "session_id", "thread_id", "as_of_chapter"}


def test_both_toolkits_only_when_both_are_named() -> None:
    """STO-01: the union, each tool once, stop last."""
    assert len(toolbox("story").names) == 7
    assert len(toolbox("narrative").names) == 9
    assert toolbox("story", "narrative").names[-1] == "stop"
    assert len(set(toolbox("narrative", "story", "story").names)) == len(toolbox("story", "narrative").names) == 12


def test_only_plain_types_and_no_dropped_keys() -> None:
    """S000-D09: no default, minimum or maximum stands in a schema; ranges stand in the description."""
    for declaration in toolbox("story", "narrative").declarations():
        for parameter in declaration["parameters"]["properties"].values():
            assert set(parameter) <= KEYS
            assert parameter["type"].upper() in PLAIN_TYPES
            assert parameter["description"]
    properties = toolbox("narrative").declarations()[-5]["parameters"]["properties"]
    assert properties["sort_by"]["description"].endswith("（默认 relevance）")


def test_a_list_that_is_empty_unless_given_tells_no_default() -> None:
    """S000-D09: a default that is made anew for each call is none to tell a model."""
    declared = declare("knowledge_network_query", "", QueryArguments)["parameters"]["properties"]
    assert "默认" not in declared["filters"]["description"] and "Undefined" not in str(declared)


def test_conversion_keeps_every_description() -> None:
    """S000-21 S000-D09: what is declared arrives."""
    found = converted("story", "narrative")
    for declaration in toolbox("story", "narrative").declarations():
        arrived = found[declaration["name"]].parameters.properties
        told = {key: one["description"] for key, one in declaration["parameters"]["properties"].items()}
        assert told == {key: one.description for key, one in arrived.items()}
