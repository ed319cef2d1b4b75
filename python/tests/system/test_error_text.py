import pytest

from nexus.system.error_text import first_line


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("one line"), "one line"),
        (ValueError("the first\nthe second"), "the first"),
        (ValueError("\n  after a blank line"), "after a blank line"),
        (ValueError(), "ValueError"),
        (OSError("\n"), "OSError"),
    ],
)
def test_first_line_of_an_error(error: Exception, line: str) -> None:
    assert first_line(error) == line
