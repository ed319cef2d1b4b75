from datetime import UTC, date, datetime, timedelta

import pytest

from nexus.text.extraction.metadata.dates import parse_date
from nexus.text.extraction.metadata.language import language_of
from tests.pure.metadata.pages import NOW, article, ld, meta, named, read

TITLE = "<h1>How to tie a rope</h1>"
PROSE = f"<p>{'The rope goes around the post and back again. ' * 6}</p>"


def day(head: str = "", body: str = "", url: str = "https://www.example.test/a") -> date | None:
    found = read(head, body, url).published_at
    return found and found.date()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-02-03", "2026-02-03"),
        ("2026-02-03T23:00:00Z", "2026-02-03"),
        ("2026-02-03T23:00:00.1234567Z", "2026-02-03"),
        ("Tue, 03 Feb 2026 10:00:00 GMT", "2026-02-03"),
        ("3 February 2026", "2026-02-03"),
        ("Feb. 3rd, 2026", "2026-02-03"),
        ("03.02.2026", "2026-02-03"),
        ("3. Februar 2026", "2026-02-03"),
        ("3 février 2026", "2026-02-03"),
        ("3 de febrero de 2026", "2026-02-03"),
        ("3 февраля 2026", "2026-02-03"),
        ("2026年2月3日 10:00", "2026-02-03"),
        ("2026년 2월 3일", "2026-02-03"),
        ("20260203", "2026-02-03"),
        ("02/13/2026", "2026-02-13"),
        ("13/02/2026", "2026-02-13"),
        ("02/03/2026", None),
        ("yesterday", None),
        ("0001-01-01", None),
        ("31 February 2026", None),
        ("1975年1月28日出生", None),
        ("3 lutego 2026", "2026-02-03"),
        ("3. února 2026", "2026-02-03"),
        ("3 fév. 2026", "2026-02-03"),
        ("3 set 2026", "2026-09-03"),
        ("Set 3 2026", None),
        ("iPad Pro 11 2021", None),
        ("LED 12 2023", None),
        ("12 LED 2023", None),
        ("12 Marble 2023", None),
        ("Junction 12 2023", None),
    ],
)
def test_written_dates(written: str, expected: str | None) -> None:
    found = parse_date(written)
    assert (found and found.date().isoformat()) == expected
    assert found is None or found.tzinfo is not None


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (ld(article(datePublished="2024-03-05")), ""),
        (meta("article:published_time", "2024-03-05"), ""),
        (named("publishdate", "2024-03-05"), ""),
        ("", '<span itemprop="datePublished" content="2024-03-05"></span>'),
        ("", f"<article>{TITLE}<time datetime='2024-03-05'>then</time>{PROSE}</article>"),
        ("", f"{TITLE}<p>Published on 5 March 2024</p>{PROSE}"),
        ("", f"{TITLE}<p>Posted by Ada Lovelace on Tuesday, 5 March 2024 at 10:00 am in Ropes</p>{PROSE}"),
        ("", f"{TITLE}<p>by Ada Lovelace, <time datetime='2024-03-05'>then</time> · 5 min read</p>{PROSE}"),
        ("", f"{TITLE}<p>Am 5. März 2024 um 10 Uhr von Ada Lovelace veröffentlicht</p>{PROSE}"),
        (meta("article:published_time", "2099-01-01"), f"{TITLE}<p>5 March 2024</p>{PROSE}"),
        ("", f"{TITLE}<p>Updated 1 April 2024</p><p>5. März 2024</p>{PROSE}"),
        ("", f"{TITLE}<p><span>来源：海港网</span> <span>2024年3月5日 08:30</span></p>{PROSE}"),
    ],
)
def test_where_the_day_is_found(head: str, body: str) -> None:
    assert day(head, body) == date(2024, 3, 5)


def test_the_address_has_the_day() -> None:
    assert day(url="https://www.example.test/2024/03/05/ropes") == date(2024, 3, 5)
    assert day('<link rel="canonical" href="/2024/3/5/ropes">') == date(2024, 3, 5)
    assert day(url="https://www.example.test/2024/33/05/ropes") is None


@pytest.mark.parametrize(
    "body",
    [
        f"<article>{TITLE}{PROSE}</article><aside><time datetime='2024-03-05'>x</time></aside>",
        f"<article>{TITLE}{PROSE}</article><article><h2>Other</h2><time datetime='2024-03-05'>x</time></article>",
        f"<article>{TITLE}Updated: <time datetime='2024-03-05'>x</time>{PROSE}</article>",
        f"<article>{TITLE}<b>Last updated</b> <time datetime='2024-03-05'>x</time>{PROSE}</article>",
        f"{TITLE}<p><b>Last updated:</b> 5 March 2024</p>{PROSE}",
        f"{TITLE}<p><b>ada</b> <i>Joined</i> <i>5 March 2014</i></p>{PROSE}",
        "<time datetime='2024-03-05'>x</time><time datetime='2024-03-06'>x</time>",
        f"{TITLE}<p>28 January 1975</p>{PROSE}",
        f"{TITLE}{PROSE}<p>5 March 2024</p>",
        f"{TITLE}<p>The festival opens on 12 May 2025</p>{PROSE}",
        f"{TITLE}<p>The festival of wet ropes in the harbour, 12 May 2025</p>{PROSE}",
        f"{TITLE}<p>Opens 12 May 2025</p>{PROSE}",
        f"{TITLE}<p>The new rule takes effect on 1 January 2025</p>{PROSE}",
        f"{TITLE}<p>The show opens on <time datetime='2025-05-01'>1 May</time>.</p>{PROSE}",
        f"{TITLE}<p>We met in the harbour on <time datetime='2025-05-01'>1 May</time> and tied ropes.</p>{PROSE}",
        f"{TITLE}<p>12 May 2027</p>{PROSE}",
        f"{TITLE}<time datetime='2031-05-01'>1 May</time>{PROSE}",
    ],
)
def test_no_date_is_better_than_a_wrong_one(body: str) -> None:
    assert day("", body) is None


def test_nothing_later_than_tomorrow() -> None:
    assert day(meta("article:published_time", (NOW + timedelta(hours=20)).isoformat())) is not None
    assert day(meta("article:published_time", (NOW + timedelta(hours=30)).isoformat())) is None
    assert day(url="https://www.example.test/2099/03/05/ropes") is None


def test_the_date_of_a_neighbour_in_json_ld() -> None:
    card = article(headline="Fish of the deep sea", url="https://www.example.test/fish", datePublished="2020-01-01")
    own = meta("article:published_time", "2024-03-05T10:00:00Z")
    assert read(ld(card) + own, TITLE).published_at == datetime(2024, 3, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("head", "lang", "expected"),
    [
        ("", 'lang="de_AT"', "de-AT"),
        ("", 'lang="{{ locale }}"', None),
        ("", 'xml:lang="fr"', "fr"),
        (meta("og:locale", "fr_FR"), "", "fr-FR"),
        ('<meta http-equiv="Content-Language" content="pl">', "", "pl"),
        (ld(article(inLanguage={"@type": "Language", "name": "English"})) + named("dc.language", "en"), "", "en"),
        (meta("og:locale", "en_US"), 'lang="nl"', "nl"),
    ],
)
def test_declared_language(head: str, lang: str, expected: str | None) -> None:
    assert read(head, lang=lang).lang == expected


HAN = "台风即将登陆沿海地区，气象部门提醒居民做好防范准备。" * 4
KANA = "台風が近づいています。海の近くに住んでいる人は気をつけてください。" * 4
CYRILLIC = "Шторм приближается к берегу, и жители готовятся к сильному ветру. " * 4
LATIN = "A storm is coming, and those who live near the sea are getting ready for it. " * 4


@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        ("en", HAN, "zh"),
        (None, HAN, "zh"),
        ("zh-CN", HAN, "zh-CN"),
        ("en-US", KANA, "ja"),
        ("zh", KANA, "ja"),
        ("ja", HAN, "ja"),
        (None, "폭풍이 해안으로 다가오고 있으며 주민들은 강한 바람에 대비하고 있다. " * 4, "ko"),
        ("en", "Η καταιγίδα πλησιάζει την ακτή και οι κάτοικοι ετοιμάζονται για δυνατό άνεμο. " * 2, "el"),
        ("en", CYRILLIC, None),  # Russian, Bulgarian, Ukrainian …
        (None, CYRILLIC, None),
        ("bg", CYRILLIC, "bg"),
        ("sr", CYRILLIC, "sr"),
        ("en", LATIN, "en"),
        ("zh-CN", LATIN, "zh-CN"),  # may be a translation: Latin letters decide nothing
        (None, LATIN, None),
        ("en", LATIN + HAN, "en"),
        ("en", "台风", "en"),  # too little
        (None, "", None),
    ],
)  # fmt: skip
def test_language_and_script(declared: str | None, text: str, expected: str | None) -> None:
    assert language_of(declared, text) == expected
