"""What a node process writes that is no message, or that we fail to handle: it is ended, and both are logged."""

import sys
import threading

import pytest

from nexus.web.rendering.process import Message, NodeProcess


def run(script: str, on_message: list[Message], *, fails: bool = False) -> str:
    """A process in node's place; returns what `on_end` was given."""
    ended = threading.Event()
    stderr: list[str] = []

    def handle(message: Message) -> None:
        on_message.append(message)
        if fails:
            raise ValueError("our defect")

    def end(text: str) -> None:
        stderr.append(text)
        ended.set()

    process = NodeProcess([sys.executable, "-c", script], on_message=handle, on_end=end, account=None)
    try:
        assert ended.wait(300), "on_end was not called"
    finally:
        process.end()
    return stderr[0]


def test_invalid_line_ends_the_process_and_its_length_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Message] = []
    run("print('{\"id\": 1}'); print('{\"id\": '); print('{\"id\": 3}')", seen)
    assert seen == [{"id": 1}]
    assert "invalid line of 8 bytes from the browser's node process" in caplog.text


def test_defect_in_handling_a_message_is_no_invalid_line(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Message] = []
    run("import time; print('{\"id\": 1}', flush=True); time.sleep(600)", seen, fails=True)
    assert seen == [{"id": 1}]
    assert "ValueError: our defect" in caplog.text
    assert "invalid line" not in caplog.text
