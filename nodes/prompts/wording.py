"""The prompt of a small model, which words what was found: three rules, a few windows of text, the question."""

from collections.abc import Mapping, Sequence

from nodes.citations import without_marks
from state.context import Language

NOT_FOUND: Mapping[Language, str] = {"zh": "没有找到", "en": "Not found"}
INSTRUCTIONS: Mapping[Language, str] = {
    "zh": """- 只用材料里的话回答，材料里没有的不写
- 用一两句完整的话，写出名字，不写编号
- 材料里没有答案，就只写：没有找到""",
    "en": """- Answer from the material alone; write nothing that it does not say
- Write one or two whole sentences with names, without numbers of the material
- If the material does not answer, write only: Not found""",
}
MATERIAL: Mapping[Language, str] = {
    "zh": "材料：\n{material}\n\n问题：{question}\n回答：",
    "en": "Material:\n{material}\n\nQuestion: {question}\nAnswer:",
}
ABOUT: Mapping[Language, str] = {"zh": "（说的是{names}）", "en": " (about {names})"}


def material(lines: Sequence[str]) -> str:
    return without_marks("\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1)))
