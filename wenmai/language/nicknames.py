"""Western given names: what they are short for, and the gender that they tell."""

from tools.language import HAN
from wenmai.language.lexicon import words
from wenmai.language.titles import Gender, english_gender, is_english_title, without_title

SHORT_FORMS = {
    "abby": "abigail", "alec": "alexander", "alex": "alexander", "alf": "alfred", "andy": "andrew",
    "annie": "anne anna", "archie": "archibald", "bart": "bartholomew", "becky": "rebecca", "bella": "isabella",
    "ben": "benjamin", "bert": "albert herbert bertram", "bess": "elizabeth", "bessie": "elizabeth",
    "beth": "elizabeth", "betsy": "elizabeth", "betty": "elizabeth", "biddy": "bridget", "bill": "william",
    "billy": "william", "bob": "robert", "bobby": "robert", "carrie": "caroline", "cathy": "catherine",
    "charley": "charles", "charlie": "charles", "chris": "christopher christine", "dan": "daniel", "danny": "daniel",
    "dave": "david", "davy": "david", "dick": "richard", "dolly": "dorothy", "dot": "dorothy", "ed": "edward edwin",
    "eddie": "edward edwin", "effie": "euphemia", "eliza": "elizabeth", "ellie": "eleanor ellen", "fanny": "frances",
    "frank": "francis franklin", "fred": "frederick alfred", "freddy": "frederick", "gus": "augustus", "hal": "henry",
    "hank": "henry", "harry": "henry harold", "hetty": "henrietta", "jack": "john", "jake": "jacob",
    "jem": "james jeremy", "jenny": "jane jennifer", "jim": "james", "jimmy": "james", "jo": "josephine",
    "joe": "joseph", "joey": "joseph", "johnny": "john", "kate": "catherine katherine",
    "kitty": "catherine katherine", "larry": "lawrence", "lily": "lilian", "liz": "elizabeth", "lizzie": "elizabeth",
    "lizzy": "elizabeth", "lottie": "charlotte", "maggie": "margaret", "mat": "matthew", "matt": "matthew",
    "meg": "margaret", "mike": "michael", "milly": "mildred", "minnie": "wilhelmina", "molly": "mary",
    "nan": "anne anna", "nancy": "anne anna", "nat": "nathaniel", "ned": "edward edmund",
    "nell": "helen eleanor ellen", "nelly": "helen eleanor ellen", "nick": "nicholas", "patty": "martha",
    "peg": "margaret", "peggy": "margaret", "phil": "philip", "polly": "mary", "rob": "robert", "robin": "robert",
    "ron": "ronald", "sally": "sarah", "sam": "samuel samantha", "sandy": "alexander", "sophy": "sophia",
    "steve": "stephen steven", "stevie": "stephen steven", "sue": "susan", "susie": "susan", "ted": "edward theodore",
    "teddy": "edward theodore", "tess": "theresa", "tilly": "matilda", "tim": "timothy", "toby": "tobias",
    "tom": "thomas", "tommy": "thomas", "tony": "anthony antonia", "vicky": "victoria", "walt": "walter",
    "will": "william", "willie": "william", "willy": "william",
}  # fmt: skip
FEMALE = frozenset(
    words("""
    abigail adela agnes alice amelia amy ann anna anne annie barbara beatrice becky bella bertha bess bessie betsy
    betty bridget caroline catherine charlotte christine clara constance daisy deborah diana dolly dora dorothy edith
    eleanor eliza elizabeth ella ellen emily emma esther ethel eva eve fanny flora florence frances georgina gertrude
    grace hannah harriet helen henrietta hester hetty ida irene isabel isabella jane janet jemima jenny jessica jessie
    joan josephine judith julia juliet kate katherine kathleen kitty laura lavinia lily linda lizzie lizzy lottie
    louisa lucy lydia mabel madeleine maggie margaret maria marian marianne marion martha mary matilda maud meg
    mildred millicent miriam molly nancy nell nelly nora olive olivia patty peggy penelope phoebe polly priscilla
    rachel rebecca rosa rosamond rose ruth sally sarah selina sophia sophie sophy stella susan susanna susie sylvia
    theresa ursula veronica victoria violet virginia winifred louise lucilla leonora edna marie blanche minnie winnie
    dinah prudence rosalind letitia eugenia evelina cecilia camilla arabella augusta cora cordelia celia pauline
    yvonne antoinette katharine georgiana jennifer lisa karen michelle nicole jean joanna sybil beth carrie biddy
    lilian madge muriel nina
    """)
)
MALE = frozenset(
    words("""
    abraham adam alan albert alexander alfred allan ambrose andrew anthony archibald arnold arthur augustus barnaby
    bartholomew basil ben benjamin bernard bertram bill billy bob bobby cecil charles charley charlie christopher
    clement cuthbert cyril dan daniel david dick donald douglas edgar edmund edward edwin ernest eric eugene ezra
    felix ferdinand francis frank franklin fred frederick geoffrey george gerald gilbert godfrey gregory harold harry
    henry herbert herman horace howard hubert hugh humphrey isaac jack jacob james jasper jeremiah jerome jim jimmy
    joe john johnny jonathan joseph joshua julian julius laurence lawrence leonard lewis lionel louis luke malcolm
    mark martin matthew maurice michael moses nathaniel ned nicholas noah oliver oscar oswald patrick paul peter
    philip ralph raymond reginald richard robert roderick roger roland rudolf rudolph rupert samuel sebastian sidney
    silas simon solomon stanley stephen steven ted theodore thomas timothy tobias tom tommy toby victor vincent walter
    wilfred william willie
    """)
)
TRANSLATED_FEMALE = frozenset(
    words("""
    玛丽 玛丽亚 玛利亚 玛格丽特 玛莎 伊丽莎白 安娜 安妮 安 简 珍妮 珍 爱玛 艾玛 艾米丽 埃米莉 艾米 爱丽丝 艾丽丝 露西
    凯瑟琳 卡罗琳 夏洛特 夏洛蒂 苏珊 苏珊娜 海伦 海伦娜 艾琳 艾伦娜 伊莎贝拉 伊莎贝尔 索菲 索菲亚 索菲娅 莎拉 萨拉
    露丝 丽莎 莉莉 丽贝卡 瑞贝卡 朱莉 朱丽叶 朱莉娅 茱莉亚 维多利亚 弗吉尼亚 多萝西 多丽丝 格蕾丝 黛安娜 黛西 克拉拉
    克莱尔 劳拉 罗拉 路易丝 露易丝 琳达 南希 尼娜 奥利维亚 佩吉 波莉 萝丝 罗丝 罗莎 莫莉 梅格 乔安娜 约瑟芬 娜塔莎
    娜塔莉 塔季扬娜 奥尔加 卡捷琳娜 索尼娅 薇拉 艾达 伊迪丝 埃莉诺 埃伦 芬妮 范妮 弗洛拉 凯特 凯蒂 贝拉 贝蒂 芭芭拉
    布里奇特 贝尔 阿黛尔
    """)
)
TRANSLATED_MALE = frozenset(
    words("""
    约翰 约翰尼 杰克 詹姆斯 詹姆士 吉姆 吉米 威廉 威利 比尔 罗伯特 鲍勃 理查德 理查 迪克 托马斯 汤姆 汤米 爱德华 内德
    亨利 哈里 哈利 乔治 查尔斯 查理 彼得 保罗 大卫 戴维 丹尼尔 塞缪尔 山姆 约瑟夫 乔 乔瑟夫 本杰明 本 亚历山大 安德鲁
    安东尼 托尼 阿瑟 亚瑟 马丁 马克 马修 迈克尔 迈克 菲利普 弗兰克 弗雷德 弗雷德里克 埃德加 埃德蒙 爱德蒙 埃里克
    奥利弗 奥斯卡 雷蒙德 罗杰 罗兰 鲁道夫 西蒙 斯蒂芬 史蒂文 维克多 文森特 沃尔特 阿尔伯特 阿尔弗雷德 伯纳德 雨果 休
    雅各布 雅克 让 皮埃尔 路易 路易斯 卢克 尼古拉 尼古拉斯 伊万 谢尔盖 安德烈 阿列克谢 德米特里 米哈伊尔 弗拉基米尔
    鲍里斯 帕维尔 卡尔 汉斯 弗里茨 弗朗茨 海因里希 奥托 古斯塔夫 哈罗德 霍华德 塞德里克 西里尔 吉尔伯特 杰弗里
    格雷戈里 赫伯特 雷金纳德 塞西尔 西奥多 蒂莫西 蒂姆 托拜厄斯
    """)
)
ENDINGS = ("ie", "y", "ey")
LEAST_STEM = 3


def is_short_for(nick: str, given: str) -> bool:
    """Return True for a short form of an English given name: Bob for Robert, Marmie for Marmaduke."""
    nick, given = nick.lower(), given.lower()
    if given in SHORT_FORMS.get(nick, "").split():
        return True
    stems = [nick, *(nick[: -len(end)] for end in ENDINGS if nick.endswith(end))]
    return any(len(given) - 1 > len(stem) >= LEAST_STEM and given.startswith(stem) for stem in stems)


def given_gender(name: str) -> Gender:
    """Return the gender that an English given name, or one translated into Chinese, tells."""
    name = name.lower()
    return (
        "f" if name in FEMALE or name in TRANSLATED_FEMALE else "m" if name in MALE or name in TRANSLATED_MALE else ""
    )


def told_gender(name: str) -> Gender:
    """Return the gender that a name with its titles tells: Mrs. Hale, Captain Mary Hale, 王大娘, 玛丽·格雷."""
    if HAN.search(name):
        return without_title(name)[2] or given_gender(name.split("·")[0])
    titles = [word for word in name.split() if is_english_title(word)]
    rest = [word for word in name.split() if word not in titles]
    told: list[Gender] = [gender for title in titles if (gender := english_gender(title))]
    if told or not rest or (titles and len(rest) == 1):
        return told[0] if told else ""
    return given_gender(rest[0])
