import itertools
from typing import get_args

import pytest

from nexus.services.capabilities import Capabilities, Kind, Status, derive_capabilities

NOTHING = Capabilities(can_read=False, can_highlight=False, can_quote=False, can_search=False, can_play=False)
TEXT = Capabilities(can_read=True, can_highlight=True, can_quote=True, can_search=True, can_play=False)
PLAY = Capabilities(can_read=False, can_highlight=False, can_quote=False, can_search=False, can_play=True)


@pytest.mark.parametrize("kind", ["web_article", "pasted_text"])
def test_a_ready_article_can_be_read_and_quoted(kind: Kind) -> None:
    assert derive_capabilities(kind, "ready_for_reading", has_fragments=True, has_audio=False) == TEXT


def test_a_ready_article_without_fragments_can_only_be_opened() -> None:
    capabilities = derive_capabilities("web_article", "ready_for_reading", has_fragments=False, has_audio=False)
    assert capabilities.can_read
    assert (capabilities.can_highlight, capabilities.can_quote, capabilities.can_search) == (
        False,
        False,
        False,
    )


@pytest.mark.parametrize("status", ["pending", "extracting", "failed"])
def test_nothing_can_be_done_with_text_that_is_not_ready(status: Status) -> None:
    assert derive_capabilities("web_article", status, has_fragments=True, has_audio=False) == NOTHING


@pytest.mark.parametrize("status", get_args(Status))
def test_an_episode_without_a_transcript_can_only_be_played(status: Status) -> None:
    assert derive_capabilities("podcast_episode", status, has_fragments=False, has_audio=True) == PLAY


def test_an_episode_with_a_transcript_can_be_read_and_played() -> None:
    capabilities = derive_capabilities("podcast_episode", "ready_for_reading", has_fragments=True, has_audio=True)
    assert capabilities == Capabilities(
        can_read=True, can_highlight=True, can_quote=True, can_search=True, can_play=True
    )


def test_highlighting_never_comes_without_reading() -> None:
    for kind, status, fragments, audio in itertools.product(
        get_args(Kind), get_args(Status), (True, False), (True, False)
    ):
        capabilities = derive_capabilities(kind, status, fragments, audio)
        assert capabilities.can_highlight <= capabilities.can_read
        assert capabilities.can_play <= (audio and kind == "podcast_episode")
