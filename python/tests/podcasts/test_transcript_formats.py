"""Transcripts of every format and spelling, and how the format is detected."""

import json

import pytest

from nexus.errors import UnreadableTranscriptError
from nexus.podcasts.chapters import parse_chapters
from nexus.podcasts.episode_text import as_text, as_vtt, read_notes, transcript_fragments
from nexus.podcasts.transcripts.formats import FORMATS_BEST_FIRST, TYPES, best_first, declared_format
from nexus.podcasts.transcripts.link import TranscriptLink
from nexus.podcasts.transcripts.read import read_transcript
from nexus.podcasts.transcripts.segments import Segment, paragraphs

HELLO = [Segment("Hello & welcome.", 0, 2000, "Ada Lovelace"), Segment("Hi.", 2000, 4000, "Bob")]
SPOKEN = [(each.start_ms, each.end_ms, each.speaker, each.text) for each in HELLO]
VTT = """WEBVTT - a title

NOTE not said
by anybody

STYLE
::cue { color: red }

intro
00:00:00.000 --> 00:00:02.000 align:start position:10%
<v.loud Ada Lovelace>Hello &amp; <i>welcome</i>.</v>

00:02.000 --> 00:04.000
<v Bob>Hi.
"""
SRT = (
    "1\r\n00:00:00,000 --> 00:00:02,000\r\n{\\an8}Hello &amp;\r\n<i>welcome</i>.\r\n\r\n"
    "2\r\n00:00:02,000 --> 00:00:04,000\r\nHi.\r\n"
)
NAMESPACE_JSON = {
    "version": "1.0.0",
    "segments": [
        {"speaker": "Ada Lovelace", "startTime": 0, "endTime": 2, "body": "Hello & welcome."},
        {"speaker": "Bob", "startTime": 2.0, "endTime": 4.0, "body": "Hi."},
    ],
}
WHISPER_JSON = {
    "text": "…",
    "segments": [{"start": 0.0, "end": 2.0, "text": " Hello & welcome."}, {"start": 2, "end": 4, "text": " Hi."}],
}
HTML = (
    "<cite>Ada Lovelace:</cite> <time>0:00</time><p>Hello &amp; <b>welcome</b>.</p>"
    "<cite>Bob:</cite><time>0:02</time><p>Hi.</p>"
)
PLAIN = "[00:00:00] Ada Lovelace: Hello & welcome.\n\n[00:00:02] Bob: Hi.\n\n[00:00:05] Ada Lovelace: Bye."


def read(text: str | bytes, declared: str | None = None, content_type: str | None = None) -> list[Segment]:
    data = text.encode() if isinstance(text, str) else text
    return read_transcript(data, content_type=content_type, declared=declared)[1]  # type: ignore[arg-type]


def spoken(segments: list[Segment]) -> list[tuple[object, ...]]:
    return [(each.start_ms, each.end_ms, each.speaker, each.text) for each in segments]


def test_all_formats_are_equivalent() -> None:
    without_voices = [(start, end, None, text) for start, end, _, text in SPOKEN]
    assert spoken(read(VTT)) == SPOKEN
    assert spoken(read(SRT)) == without_voices
    assert spoken(read(json.dumps(NAMESPACE_JSON))) == SPOKEN
    assert spoken(read(json.dumps(WHISPER_JSON))) == without_voices
    assert [(s, sp, t) for s, _, sp, t in spoken(read(HTML))] == [(s, sp, t) for s, _, sp, t in SPOKEN]
    assert [(s, sp, t) for s, _, sp, t in spoken(read(PLAIN))][:2] == [(s, sp, t) for s, _, sp, t in SPOKEN]


@pytest.mark.parametrize("declared", [None, *FORMATS_BEST_FIRST])
def test_content_decides_rather_than_the_label(declared: str | None) -> None:
    assert len(read(VTT, declared)) == 2
    assert len(read(SRT, declared)) == 2
    assert len(read(json.dumps(NAMESPACE_JSON), declared)) == 2


@pytest.mark.parametrize(
    ("text", "declared", "said"),
    [
        ("<!DOCTYPE html><html><body>Not found", "vtt", "sent a web page instead"),
        ("<html>", "json", "sent a web page instead"),
        ("nothing to see", "srt", "no cue with a readable time"),
        ("WEBVTT\n\n", "vtt", "is empty"),
        ("", "plain", "is empty"),
        ('{"segments": [', "json", "labelled as JSON"),
        ('{"hello": 1}', "json", "has no segments"),
        ("[" * 100_000, "json", "labelled as JSON"),
    ],
)
def test_unreadable_transcripts(text: str, declared: str, said: str) -> None:
    with pytest.raises(UnreadableTranscriptError, match=said):
        read(text, declared)


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        ("Grüße".encode(), None),
        ("Grüße".encode("utf-8-sig"), None),
        ("Grüße".encode("utf-16"), None),
        ("Grüße".encode("cp1252"), None),
        ("Grüße".encode("latin-1"), "text/plain; charset=iso-8859-1"),
        ("Grüße".encode("cp1252"), "text/plain; charset=no-such-thing"),
        ("Grüße".encode(), "text/plain; charset=iso-8859-1"),  # the server is wrong, the bytes are not
    ],
)
def test_charsets(data: bytes, content_type: str | None) -> None:
    assert read(data, "plain", content_type)[0].text == "Grüße"


def test_words_become_sentences() -> None:
    words = ["Here", "are", "ten", "words", "that", "a", "machine", "wrote.", "And", "more."]
    segments = [{"startTime": i, "endTime": i + 0.9, "body": word, "speaker": "A"} for i, word in enumerate(words)]
    found = read(json.dumps({"segments": segments}))
    assert [(each.text, each.start_ms, each.end_ms) for each in found] == [
        ("Here are ten words that a machine wrote.", 0, 7900),
        ("And more.", 8000, 9900),
    ]


def test_rolling_captions_are_not_repeated() -> None:
    shown = ["one", "one\ntwo", "two\nthree"]
    cues = "WEBVTT\n\n" + "".join(f"00:0{n}.000 --> 00:0{n + 1}.000\n{text}\n\n" for n, text in enumerate(shown))
    assert [each.text for each in read(cues)] == ["one", "two", "three"]


def test_cues_without_an_empty_line_between_them() -> None:
    cues = "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,000\nTwo 2\n"
    assert [each.text for each in read(cues, "srt")] == ["One", "Two 2"]


def test_wrong_times_are_corrected() -> None:
    backwards = "WEBVTT\n\n00:05.000 --> 00:03.000\nlater\n\n00:01.000 --> 00:02.000\nfirst\n"
    assert spoken(read(backwards)) == [(1000, 2000, None, "first"), (5000, 5400, None, "later")]


@pytest.mark.parametrize("start", [10**400, "1e999", -1, True, [], "NaN"])
def test_times_that_are_not_times(start: object) -> None:
    assert [each.text for each in read(json.dumps({"segments": [{"text": "Hello", "start": start}]}))] == ["Hello"]
    chapters = json.dumps({"chapters": [{"title": "One", "startTime": start}, {"title": "Two", "startTime": 2}]})
    assert parse_chapters(chapters.encode(), "https://h.example/")[-1].title == "Two"


def test_main_text_of_a_page_without_cite_and_time() -> None:
    text = " ".join(f"This is sentence number {n} of what was said in the show." for n in range(30))
    nav = "<nav><a href='/'>Home</a> <a href='/about'>About</a></nav>"
    page = f"<html><body>{nav}<article><h1>Show</h1><p>{text}</p></article></body></html>"
    assert any("sentence number 29" in each.text for each in read(page, "html"))
    assert not any(each.text in ("Home", "About", "Home About") for each in read(page, "html"))


def test_prose_with_colons_has_no_speakers() -> None:
    text = "Note: this is a list.\n\nFirst: apples.\n\nSecond: pears.\n\nThird: plums.\n\nFourth: figs."
    assert {each.speaker for each in read(text, "plain")} == {None}


@pytest.mark.parametrize(("name", "kind"), TYPES.items())
def test_every_spelling_of_a_type(name: str, kind: str) -> None:
    assert declared_format(TranscriptLink("https://h.example/t", f" {name.upper()}; charset=utf-8")) == kind


def test_suffix_decides_where_the_type_is_vague() -> None:
    assert declared_format(TranscriptLink("https://h.example/t.SRT?x=1", "text/plain")) == "srt"
    assert declared_format(TranscriptLink("https://h.example/t.vtt", None)) == "vtt"
    assert declared_format(TranscriptLink("https://h.example/t.txt", "text/vtt")) == "vtt"
    assert declared_format(TranscriptLink("https://h.example/t", "application/x-unknown")) is None


def test_best_format_first_unless_preferred() -> None:
    links = [
        TranscriptLink(f"https://h.example/{kind}", kind) for kind in ("odd", "plain", "html", "srt", "json", "vtt")
    ]

    def order(**options: object) -> list[str]:
        given = {"prefer": (), "language": None, **options}
        return [link.url.rpartition("/")[2] for link in best_first(links, **given)]  # type: ignore[arg-type]

    assert order() == ["vtt", "json", "srt", "html", "plain", "odd"]
    assert order(prefer=["text/html", "application/x-subrip"])[:3] == ["html", "srt", "vtt"]
    german = TranscriptLink("https://h.example/de", "text/plain", "de-AT")
    french = TranscriptLink("https://h.example/fr", "text/vtt", "fr")
    assert best_first([french, german], prefer=(), language="de") == [german, french]
    assert best_first([german, french], prefer=(), language=None) == [french, german]


def test_paragraphs_end_at_a_speaker_a_pause_or_their_length() -> None:
    said = [
        Segment("One.", 0, 1000, "A"), Segment("Two.", 1100, 2000, "A"), Segment("Three.", 2100, 3000, "B"),
        Segment("Four.", 4500, 5000, "B"), Segment("Five.", 6400, 7000, "B"),
    ]  # fmt: skip
    assert [each.text for each in paragraphs(said, pause_ms=1500)] == ["One. Two.", "Three.", "Four. Five."]
    assert [each.text for each in paragraphs(said, pause_ms=1400)] == ["One. Two.", "Three.", "Four.", "Five."]
    endless = [Segment(f"Sentence {n} goes on.", n * 1000, n * 1000 + 900) for n in range(400)]
    lengths = [len(each.text) for each in paragraphs(endless, pause_ms=1500)]
    assert max(lengths) <= 1000
    assert sum(lengths) + len(lengths) - 1 == sum(len(each.text) + 1 for each in endless) - 1


def test_fragments_are_safe_and_timed() -> None:
    hostile = [Segment("<script>alert(1)</script> & more", 5, 10, "<b>Eve</b>")]
    (fragment,) = transcript_fragments(hostile, pause_ms=1500)
    assert (fragment.start_ms, fragment.end_ms) == (5, 10)
    assert "<script" not in fragment.html
    assert fragment.text == "<b>Eve</b>: <script>alert(1)</script> & more"


def test_written_captions_read_back() -> None:
    said = [*HELLO, Segment("a --> b < c", 3_600_000, 3_601_500)]
    text = as_vtt(said)
    assert text is not None
    assert spoken(read(text)) == spoken(said)
    assert as_vtt([Segment("no times")]) is None
    assert as_text(HELLO, pause_ms=1500) == "Ada Lovelace: Hello & welcome.\n\nBob: Hi.\n\n"


def test_notes_are_sanitized() -> None:
    notes = read_notes(
        '<p onclick="x()">Read <a href="/more">more</a></p><script>1</script>', "https://show.example/e/1"
    )
    assert notes is not None
    assert 'href="https://show.example/more"' in notes.html
    assert "script" not in notes.html
    assert "onclick" not in notes.html
    assert notes.text == "Read more"
    plain = read_notes("First line\n\nhttps://show.example & more", "https://show.example/")
    assert plain is not None
    assert plain.text == "First line\nhttps://show.example & more"
    assert read_notes("  ", "https://show.example/") is None
