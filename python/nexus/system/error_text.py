"""What an error says, for a log line or a sentence."""


def first_line(error: BaseException) -> str:
    """Of its message, since drivers add a statement or a hint below; of an error without a message, its class."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
