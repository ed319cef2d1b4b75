"""Any bytes give records, or an error that names the problem."""

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nexus.text.imports.records import ImportedItem
from tests.pure.imports.reading import records_or_a_sentence, zipped

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
HEADERS = [
    "title,url,time_added,tags,status\n", "URL,Title,Selection,Folder,Timestamp,Tags\n", "Highlight,Book Title\n",
    "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n", "Text,Highlighted Date,Title\n",
    "Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\n", "url;labels;created\nhttps://a.example/;;\n",
    "title,url,tags,description,comments,annotations,created_at\n", "https://a.example/\n", "---\ntitle: x\n---\n",
    '[{"url":"https://a.example/","highlights":[{"quote":"q","created_at":1}]},', "<!doctype html><html>",
    "Title,Author,Publisher,URL,Last Interaction Date,File Id\n", "Title;URL;Content;Tags;MIME Type\n",
]  # fmt: skip
NAMES = st.sampled_from(["a.csv", "part_000000.csv", "a.md", "a.html", "annotations/x.json", "_matter_history.csv"])
SIGNS = [",", '"', "\n", "\r", ";", "|", "\0", "https://a.example/x", "[", "]", "> q", "- ", "1e400", "'", "\ud800"]
PIECES = st.lists(st.sampled_from(SIGNS) | st.text(max_size=8)).map("".join)
TEXTS = st.builds(str.__add__, st.sampled_from(HEADERS), PIECES).map(lambda text: text.encode("utf-8", "surrogatepass"))
OTHER = "https://b.example/"
LINKS = {OTHER} | {f"https://a.example/{number * number}" for number in range(200)}
SETTINGS = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SETTINGS
@given(files=st.dictionaries(NAMES, st.binary(max_size=200) | TEXTS, min_size=1, max_size=3), is_zip=st.booleans())
def test_records_or_a_sentence(files: dict[str, bytes], is_zip: bool) -> None:
    records_or_a_sentence({"a.zip": zipped(files)} if is_zip else files)


@SETTINGS
@given(at=st.integers(0, 10_000), byte=st.integers(0, 255), length=st.integers(0, 10_000))
def test_a_damaged_zip(at: int, byte: int, length: int) -> None:
    rows = "".join(f"t,{link},1650000000,,unread\n" for link in sorted(LINKS))
    content = bytearray(zipped({"part_000000.csv": HEADERS[0] + rows, "b.txt": f"{OTHER}\n"}))
    content[at % len(content)] = byte
    records = records_or_a_sentence({"a.zip": bytes(content[: length or None])})
    links = {record.url for record in records if isinstance(record, ImportedItem)}
    assert links <= LINKS, "nothing that is damaged is brought in"
