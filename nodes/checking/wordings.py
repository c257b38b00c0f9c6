"""How sentences look that state no fact of the material: refusals, conclusions, questions, orders, addresses, code."""

import re

_Z = r"(?:资料|材料|原文|文中|书中|书里|文本|文档|证据|片段|检索|记载|故事|小说|现有|以上|目前|上文|段落|记忆|知识网络)"
_NO_WORD = (
    r"(?:没有|并未|未能|未曾|尚未|并没有|没|未|无法|不能|难以).{0,8}"
    r"(?:提到|提及|说明|交代|交待|记载|找到|查到|涉及|介绍|描述|确定|得知|判断|检索到|明说|明确|信息|相关"
    r"|[说写讲](?=.{0,14}(?:是否|谁|什么|哪|为何|怎|如何|多少|几)))"
)
_MATERIAL = (
    r"(?:sources?|passages?|texts?|material|evidence|documents?|story|book|excerpts?|results?|information"
    r"|memor(?:y|ies))"
)
_NOT = r"(?:do(?:es)? not|don't|doesn't|did not|didn't|never|nowhere|cannot|can't)"
_SAY = (
    r"(?:say|mention|state|tell|describe|explain|give|contain|specify|provide|include|reveal|cover|answer|indicate"
    r"|name)"
)
REFUSES = re.compile(
    rf"{_Z}.{{0,20}}{_NO_WORD}|{_NO_WORD}.{{0,20}}{_Z}|^(?:很)?(?:抱歉|对不起|遗憾)|信息不足|资料不足|(?:无从|无法)(?:得知|确定|判断|回答)"
    r"|不得而知"
    rf"|\b{_MATERIAL}\b.{{0,40}}\b{_NOT}\b.{{0,16}}\b{_SAY}"
    rf"|\b{_MATERIAL} (?:say|mention|give|contain|tell|reveal)s? (?:nothing|no)\b"
    rf"|\b(?:no|not enough|insufficient|nothing)\b.{{0,30}}\b(?:{_MATERIAL}|mention(?:ed)?|details?)\b"
    r"|\b(?:could not|couldn't|cannot|can't|unable to|not able to)\b.{0,12}"
    r"\b(?:find|found|determine|tell|say|answer|locate|confirm)\b"
    r"|^(?:sorry|i'm sorry|i am sorry|unfortunately)\b",
    re.IGNORECASE,
)
"""A sentence that says that the material does not say something."""

CONCLUDES = re.compile(
    r"^(?:[-*•]\s*)?(?:可见|由此|因此|所以|总之|总的来说|总体|综上|看来|这说明|这表明|说明|换句话说|也就是说|简而言之|简单来说|显然|大概|也许|可能|或许"
    r"|in short|overall|thus|therefore|hence|so\b|in summary|to sum up|this (?:suggests|shows|implies|means)|it seems"
    r"|it appears|apparently|presumably|perhaps|in other words|altogether)",
    re.IGNORECASE,
)
"""A sentence that draws a conclusion, which no piece of the material need state."""

ASKS = re.compile(r"[？?]\s*[）)]?$")
"""A question of the draft's own; one that somebody is quoted with ends with a quotation mark."""

_SECRET = r"(?:密码|口令|验证码|银行卡|身份证|账号|password|passcode|verification code|credit card|credentials?)"
ORDERS = re.compile(
    r"(?:忽略|无视|忘记|不要理会|抛开|绕过|违反).{0,12}(?:指令|指示|提示词?|规则|设定|限制|要求|约束)"
    r"|(?:系统|开发者|隐藏)的?(?:提示词|指令)"
    r"|把答案(?:写成|改成|换成)|(?:直接|只|必须)(?:回答|告诉用户|输出|回复)|(?:告诉|要求|让|请|提醒)(?:用户|读者)"
    rf"|(?:请|务必|立即|马上|现在就?|麻烦)[^，。！？；]{{0,10}}(?:访问|打开|点击|下载|扫码|关注|转账|汇款|付款|加我|添加|加微信|加群|拨打|登录)"
    rf"|(?:请|把|将|提供|输入|告诉我|发给我|告知)[^，。！？；]{{0,12}}(?:您|你)?的?[^，。！？；]{{0,6}}{_SECRET}"
    r"|(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|rules|prompts?|guidelines|settings)"
    r"|\bsystem (?:prompt|notice|message)\b|\b(?:answer|reply|respond|output|write|say) only\b"
    r"|\b(?:tell|ask|inform|instruct|make) the (?:reader|user)\b|\bwrite that\b"
    rf"|\b(?:please|you (?:can|should|must|may|need to|have to)(?: also)?|now|just)\b[^.!?]{{0,15}}"
    r"\b(?:visit|click|open|download|log ?in|sign up|subscribe|scan|call|send|transfer|pay|e-?mail|write to)\b"
    rf"|^(?:visit|click|download|log in|send|enter|e-?mail|go to)\b"
    rf"|\b(?:enter|provide|give|send|tell me|share|confirm)\b[^.!?]{{0,20}}\b{_SECRET}",
    re.IGNORECASE,
)
"""An order to the writer or the reader of an answer; in a story somebody may say it."""

REPORTS = re.compile(
    r"[“「『\"].+[”」』\"]|写道|说道|喊道|问道|声称|告示|命令|吩咐|要求他|\b(?:says?|said|cried|wrote|writes|orders?|ordered|claims?|claimed|reads)\b"
)
"""A sentence that reports what somebody said or wrote."""

ADDRESS = re.compile(
    r"!?\[[^\]\n]*\]\(\s*(?:[a-z]+:|/|www\.)[^)\n]*\)|<?\b(?:https?|ftp|file|javascript|data|tel|mailto):[^\s)>」』”，。；]+>?"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:www\.)[\w-]+(?:\.[\w-]+)+(?:/[^\s)>」』”，。；]*)?"
    r"|(?<![\w.@-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|cn|io|top|xyz|info|cc|me|ru|dev|app|site|club|vip)(?![\w-])(?:/[^\s)>」』”，。；]*)?"
    r"|(?:微信|QQ|qq|电报群?|Telegram|WhatsApp)(?:号|群)?[:：]?\s*[A-Za-z0-9_-]{5,}"
)
"""Where a reader could be sent."""
ASKS_ADDRESS = re.compile(
    r"网址|网站|链接|地址|邮箱|邮件|微信|电话|联系|官网|域名"
    r"|\b(?:url|link|website|web ?site|address|e-?mail|contact|phone|domain|page)s?\b",
    re.IGNORECASE,
)

CODE = re.compile(
    r"```.*?(?:```|\Z)|<(script|style|iframe|svg|object)\b.*?(?:</\1>|\Z)|</?[a-z][a-z0-9]*(?:\s[^<>\n]*)?/?>",
    re.DOTALL,
)
ASKS_CODE = re.compile(
    r"代码|脚本|命令|语句|配置|示例|html|sql|json|正则|\b(?:code|script|command|snippet|query|config\w*|example)s?\b",
    re.IGNORECASE,
)
