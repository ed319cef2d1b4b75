"""Of the fetched and the rendered text the better one is taken, which is not always the longer one."""

import pytest

from nexus.pipelines.better_text import is_better

STORY = "\n".join(f"Day {day}. The keeper wrote one line about the wind, and then he lit the lamp." for day in range(6))
MORE = STORY + "\nThe last day. Nobody wrote anything, because the lamp had gone out and the keeper with it."
MENU = "\n".join(f"Menu entry {number} of the harbour" for number in range(200))
OTHER = "\n".join(f"Offer {number}. Buy this rope now, since it will be gone tomorrow." for number in range(30))
GARBLED = MORE.replace("e", "é").encode().decode("cp1252", "ignore")


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        (MORE, STORY, True),
        (STORY, MORE, False),
        (STORY, STORY, True),
        (MENU, STORY, False),
        (STORY, MENU, True),
        (STORY + "\n" + MENU, STORY, True),
        (OTHER, STORY[:200], True),
        (GARBLED, STORY, False),
        (STORY, GARBLED, True),
        ("灯塔的看守每天写一行字。他写的是风。" * 9, "灯塔 首页 新闻 视频 图片 论坛 登录 注册 " * 40, True),
    ],
)
def test_which_text_is_better(new: str, old: str, expected: bool) -> None:
    assert is_better(new, old) is expected
