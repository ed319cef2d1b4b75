"""What an error says, for a log line or a sentence."""


def first_line(error: BaseException) -> str:
    """The first line of its message, since drivers add a statement or a hint below; without a message, its class."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
