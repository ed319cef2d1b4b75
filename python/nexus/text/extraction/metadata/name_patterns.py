"""What stands around the names of authors. All are used on a few hundred characters at most."""

import re

from nexus.text.html_tree import word_set

# "By", "Posted by", "Beitrag von", "Escrito por", "Text & Fotos:", "作者：" and the like.
BY = re.compile(
    r"^(?:(?:[^\W\d_]{2,14} (?:and [^\W\d_]{2,14} )?)?by(?:\s?:\s?|\s+|$)"
    r"|(?:(?:beitrag|artikel|erstellt|geschrieben|verfasst|text|publi\u00e9|\u00e9crit|publicado|escrito) )?"
    r"(?:von|par|por|door|przez)(?:\s?:\s?|\s+|$)"
    r"|(?:author|autor(?:in|/in|e|es)?|auteur|redakteur(?:in)?|writer)(?:\s?:\s?|\s+)"
    r"|(?:text|interview|fotos?|photos?|words|story|bericht|artikel|report)(?: (?:&|and|und|et) [^\W\d_]{2,14})?\s?:\s?"
    r"|(?:作者|文|撰文|记者|記者|本报记者|글|기자)\s?[:：/／|｜]\s?)",
    re.IGNORECASE,
)
_BY_WORDS = r"(?:(?:written |posted |published |story |words |article )?by|von|par|por|door)"
BY_ALONE = re.compile(rf"^(?:{_BY_WORDS}|作者|撰文|記者|记者)\s?[:：]?$", re.IGNORECASE)
BY_LINE = re.compile(rf"^{_BY_WORDS}\s", re.IGNORECASE)
HAN_BY = re.compile(r"^(?:作者|撰文|文|记者|記者)\s?[:：/／|｜]\s?(\S{2,20})")
ADDRESS = re.compile(
    r"[<(\[]?\s?(?:mailto:)?[^\s@<>()\[\]]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+\s?[>)\]]?|https?://\S+|www\.\S+"
)
HANDLE = re.compile(r"(?:^|(?<=[\s(,|]))@\w+\)?")
ROLE_AFTER_COMMA = re.compile(
    r",\s[^,]{0,60}\b(?:engineer|manager|director|professor|founder|ceo|president|fellow|analyst|developer|scientist|"
    r"chefredakteur|chefredakteurin|redaktion)\b.*$",
    re.IGNORECASE,
)
BEFORE_DATE = re.compile(
    r"(?:^|[\s,])(?:am|on|le|el|at|de|last|stand|publiziert|veröffentlicht|mo|di|mi|do|fr|sa|so|[^\W\d_]{3,8}tag|"
    r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?)[\s,.]*$",
    re.IGNORECASE,
)
YEAR = re.compile(r"\b(?:1\d|20)\d{2}\b")
# Not the author: rights, credits, editors in charge.
OTHER_PEOPLE = re.compile(
    r"^(?:copyright|©|\(c\)|(?:photo|foto|image|picture|illustration|video|design|powered|designed|sponsored|presented|"
    r"translated|edited|reviewed|photographed)\w* (?:by|von|par|por)\b|"
    r"[\[(（【]?(?:责任编辑|責任編輯|责编|编辑|編輯|选稿|编校|审核|校对|来源|來源)\s?[:：])",
    re.IGNORECASE,
)
EMPTY_BRACKETS = re.compile(r"\(\s?\)|\[\s?\]|<\s?>")
_ROLE_WORDS = (
    r"(?:senior|junior|chief|deputy|associate|assistant|contributing|managing|executive|staff|guest|freelance|former|"
    r"news|sports?|political|politics|business|technology|tech|science|health|features?|foreign|national|special|"
    r"digital|editorial|investigative|opinion|arts?|culture|europe|asia|web|copy|night|city|world|economics?|"
    r"environment|education|entertainment|media|security|legal|white house|middle east)"
)
_ROLE = (
    rf"(?:{_ROLE_WORDS}[ -]){{0,4}}(?:staff writer|writer|editor(?:[- ]in[- ]chief|[- ]at[- ]large)?|"
    r"reporter|correspondent|columnist|contributor|journalist|producer|blogger|photographer|critic|"
    r"(?:chef)?redakteur(?:in)?|korrespondent(?:in)?|journaliste|redactora?|periodista|giornalista)"
)
ROLE_ALONE = re.compile(rf"^{_ROLE}(?: (?:at|for|of|in|on|,) .{{1,60}})?$", re.IGNORECASE)
ROLE_BEHIND = re.compile(rf"(?:\s?[,|/(\u2013—-]\s?|\s){_ROLE}(?:[ ,)].{{0,80}})?$", re.IGNORECASE)
_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|m[aä]r(?:ch|z|s)?|apr(?:il)?|avril|may|mai|june?|juin|"
    r"july?|juillet|aug(?:ust)?|ao[uû]t|sept?(?:ember)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|"
    r"d[ée]c(?:embre)?)"
)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s)?"
_DAY = (
    rf"(?:{_MONTH}\.?\s\d{{1,2}}\b|\d{{1,2}}\.?\s{_MONTH}\b|\d{{4}}[-/.年]\d|"
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2})"
)
_AGO = r"\d{1,3}\s(?:min(?:ute)?s?|hours?|days?|weeks?|months?|years?)\s(?:ago|read)"
WHEN = re.compile(
    rf"(?:^|[\s,|•·(\u2013—-])(?:(?:published|updated|posted|modified|on|le|am|at)?:?\s?{_WEEKDAY}{_DAY}"
    rf"|(?:published|updated|posted|modified)\b.{{0,3}}\b(?:on|at)?\b|{_AGO}).*$",
    re.IGNORECASE,
)
NOISE = re.compile(
    r"^(?:view all posts by|all posts by|posts by|more (?:from|by)|follow|about|see all articles by|articles by)\s+|"
    r"\s(?:follow|bio|biography|view profile|email|read more|see more|more|under|in)$",
    re.IGNORECASE,
)
NOBODY = word_set(
    "noauthor author authors admin admin1 adminadmin administrator wpadmin siteadmin superuser root webmaster webteam"
    " user moderator guest guestauthor guestcontributor contributor contributors staff staffwriter writer reporter"
    " blogger editor editors editorial editorialteam editorialstaff newsdesk newsroom byline bylines unknown anonymous"
    " nobody none null undefined na default test theauthor autor autorin auteur autorenseite redaktion redaction"
    " larédaction redacción redazione redactie 作者 佚名 匿名 管理员 编辑 未知 小编"
    # Words around a name that stand alone where the name itself was removed, and links beside it.
    " und and am von the über publiziertam viewmycompleteprofile about contact follow share facebook twitter linkedin"
    " publisher team red anónimo allrightsreserved email print comments subscribe profile"
    " signin login register formermember"
)
# Accounts of the software, addresses of profiles and names of template fields.
MACHINE = re.compile(r"^\w{0,12}admin\w{0,3}$|^\w+(?:\.\w+){2,}$|^[\w.-]+\.\w{2,10}/", re.IGNORECASE)
# Further people and numbers behind the author.
MORE = re.compile(
    r"\s(?:(?:fact[- ]checked|(?:medically )?reviewed|edited|photographed|photos|translated|updated) by|posts:|joined:)"
    r"\s.*$",
    re.IGNORECASE,
)
DATE = re.compile(rf"^\d{{1,2}}\.?\s(?:de\s)?(?:{_MONTH}|ene|abr|ago|dic|gen|giu|lug|set|ott)", re.IGNORECASE)
LEADING = re.compile(r"^(?:&|and|und|via)\s+", re.IGNORECASE)
SPLIT = re.compile(r"\s?[|•·»]\s?")
DASH = re.compile(r"\s[\u2013—-]\s")
LETTER = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]\.")
TAG = re.compile(r"<[^<>]{0,200}>")
