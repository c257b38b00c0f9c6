"""Questions that go on with nobody: they are asked of everybody, of the story as a whole, or of the agent itself."""

import re

from wenmai.minds.offline import phrases

OF_ALL = re.compile(
    r"最[^，]{1,6}的[^，]{0,4}[人将官帝后臣士]是(?:谁|哪)|^哪(?:[个位一][^，]{1,6}最|些人)|的[^，]{2,}有(?:哪些|谁)$"
    r"|的那[位个名][^，]{0,4}(?:是谁|叫什么)"
)
"""A question about everybody and everything of the story: 最厉害的武将是谁."""
_WHOEVER = rf"(?:{phrases.WHO})(?:的|被称|统一|是?最)"
OF_ANYBODY = re.compile(rf"{_WHOEVER}|(?:{phrases.WHO})[^，]{{0,6}}最|其他|其它|别的|哪些|有哪些|有谁|[^，]*都有谁")
"""谁的女儿嫁给了皇帝, 哪些人投降过: asked of all people of the story."""
OF_THE_STORY = re.compile(
    rf"{_WHOEVER}|哪些人|会有(?!什么|谁|几|多少)|[^，]*都有谁|是(?:哪一?年|什么时候)|的|"
    rf"有(?:哪些|多少|几个)(?!{phrases.ANY_KIN}|人|兵)|有没有关于|[^，]*是什么意思|"
    rf"(?:{phrases.ANY_KIN})(?:[和与跟同]|反目|相残|阋墙)"
)
"""What leaves no subject out: 谁的结局最惨, 有哪些女将, 为什么会有黄巾起义."""
OF_THE_BOOK = re.compile(
    "情节|^开头|^结尾|历史上|史书|版本|[在这][^，]{0,3}(?:书|小说)[里中]|有什么(?:讲究|规矩|条件|用处?[？?]?$)|"
    "[靠要]什么(?:条件|吃饭)|的有(?:谁|哪些)|[这那][^，]{0,3}问题"
)
"""What is asked of the book, or of how things were done in those days."""
SUPPOSED = re.compile("如果|假如|假使|要是|倘若|除了|除开|自从|直到|关于")
"""A clause that opens a question of its own: 如果没有东风，赤壁之战会怎样."""
TO_THE_AGENT = re.compile(
    r"(?:那|那么|请|麻烦|能不能|可以)*(?:[你您我](?!方|军)|[给帮为跟]我|推荐(?![了过谁的给])|继续|再说|再讲|说详细|说得?详细|详细|总结|换[个一]|举[个例])"
)
"""What is asked of the agent itself: 给我讲个故事, 再说一遍, 你是谁."""
