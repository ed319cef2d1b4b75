import pytest

from nexus.text.extract_text import extract_text

SENTENCE = "The rope goes around the post and back again, and then it is pulled until nothing moves any more."
HAN = "台风即将登陆沿海地区，气象部门提醒居民做好防范准备，渔船已全部回港避风，学校明天停课一天。"


def excerpt(body: str, head: str = "") -> str | None:
    page = f"<html><head><title>How to tie a rope</title>{head}</head><body><article>{body}</article></body></html>"
    return extract_text(page.encode(), content_type="text/html; charset=utf-8", url=None).excerpt


CAPTION = "A very long caption that says who stands on the pier, in which year, and who took the picture of them all."


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"<h1>How to tie a rope</h1><p>By Ada Lovelace</p><p>5 March 2024</p><p>{SENTENCE}</p>", SENTENCE),
        (f"<figure><img src=a.jpg width=600 height=400><figcaption>{CAPTION}</figcaption></figure><p>{SENTENCE}</p>"
         f"<p>{SENTENCE}</p>", SENTENCE),
        ("<h1>How to tie a rope</h1><p>By Ada Lovelace</p><p>5 March 2024</p><p>Pull it.</p>", "Pull it."),
        (f"<p>1.</p><table><tr><td>{SENTENCE}<td>{SENTENCE}</table><p>Pull it.</p><p>{SENTENCE}</p>", SENTENCE),
        (f"<h1>台风</h1><p>作者：王小明</p><p>2024年5月9日</p><p>{HAN}</p>", HAN),
    ],
)  # fmt: skip
def test_the_first_sentence_and_no_caption_date_or_byline(body: str, expected: str) -> None:
    assert excerpt(body) == expected


def test_what_the_page_says_comes_first_unless_it_is_the_title() -> None:
    assert excerpt(f"<p>{SENTENCE}</p>", '<meta name="description" content="All about ropes.">') == "All about ropes."
    assert excerpt(f"<p>{SENTENCE}</p>", '<meta name="description" content="How to tie a rope">') == SENTENCE


def test_the_title_with_the_site_s_name_is_no_excerpt() -> None:
    title = "老灯塔守护人讲述四十年来海上风浪与渔村变迁的点点滴滴故事"
    assert excerpt(f"<p>{title}-海港网</p><p>{HAN}</p>", f'<meta property="og:title" content="{title}">') == HAN


def test_a_long_one_is_cut_at_a_word() -> None:
    found = excerpt(f"<p>{SENTENCE * 9}</p>")
    assert found
    assert len(found) <= 301
    assert found.endswith("…")
