"""Controls beside code are not text."""

import pytest

from tests.pure.prepare.prepared import texts


@pytest.mark.parametrize(
    "control",
    [
        "<button>Copy</button>",
        "<div><button>Copy code</button></div>",
        "<span class='copy-button'>Copied!</span>",
        "<a class='clipboard' href='#'>复制</a>",
    ],
)
def test_a_button_beside_code_is_gone(control: str) -> None:
    assert texts(f"<div class=highlight>{control}<pre>ls -l</pre></div>") == ["ls -l"]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<div><button>Why is it cold?</button><p>It comes from the sea.</p></div>", "Why is it cold?"),
        ("<div><button>How to list all files</button><pre>ls -l</pre></div>", "How to list all files"),
        ("<article><button>Answer</button><p>Text</p><pre>ls -l</pre></article>", "Answer"),
        ("<div><div><div><button>Menu</button></div></div><pre>ls -l</pre></div>", "Menu"),
    ],
)
def test_other_buttons_stay(page: str, shown: str) -> None:
    assert shown in texts(page)
