import pytest

from nexus.services.text.page_refresh import refresh_target

HERE = "https://example.com/a/b"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/new", "https://example.com/new"),
        ("0;URL='c?d=e;f'", "https://example.com/a/c?d=e;f"),
        ('5; url="https://other.example/"', "https://other.example/"),
        ("0,/new", "https://example.com/new"),
        (" 1.5 ; url = /new ", "https://example.com/new"),
        ("0; //other.example/x", "https://other.example/x"),
        ("0; url=javascript:alert(1)", "javascript:alert(1)"),  # the door refuses it
        ("0", None),
        ("0; url=", None),
        ("300; url=/new", None),
        ("0; url=b", None),
        ("0; url=b#part", None),
        ("soon; url=/new", None),
        ("0; url=http://[", None),
    ],
)
def test_where_a_page_sends_its_reader(content: str, target: str | None) -> None:
    quote = "'" if '"' in content else '"'
    page = f"<!doctype html><title>Moved</title><META HTTP-EQUIV=Refresh CONTENT={quote}{content}{quote}>"
    assert refresh_target(page.encode(), HERE) == target


@pytest.mark.parametrize(
    "page",
    [
        '<noscript><meta http-equiv="refresh" content="0;url=/no-script"></noscript>',
        '<body><noscript><p><meta http-equiv="refresh" content="0;url=/no-script"></p></noscript>',
        '<template><meta http-equiv="refresh" content="0;url=/x"></template>',
        '<!-- <meta http-equiv="refresh" content="0;url=/x"> -->',
        '<script>"<meta http-equiv=refresh content=0;url=/x>"</script>',
        '<meta name="refresh" content="0;url=/x">',
        '<meta http-equiv="refresh">',
        '<meta http-equiv="refresh" content="0;url=/x">' + "<p>A long article.</p>" * 1000,
        "",
    ],
)
def test_what_sends_nobody_on(page: str) -> None:
    assert refresh_target(page.encode(), HERE) is None
