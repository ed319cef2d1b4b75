"""`nexus extract`, which needs no server."""

import json
from pathlib import Path

import pytest

from tests.egress.sites import Site, redirect, text
from tests.loopback_server import running
from tests.processes import Nexus

ARTICLE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>On bridges — The Gazette</title>
<meta property="og:title" content="On bridges"><meta name="author" content="Ada Byron"></head><body>
<nav><a href="/">Home</a> <a href="/news">News</a> <a href="/sport">Sport</a></nav>
<article><h1>On bridges</h1>
<p>A bridge is a promise that the other side will still be there tomorrow, and most of the work of an
engineer is to keep that promise quietly, year after year, without anybody noticing at all.</p>
<h2>What holds</h2>
<p>The <em>oldest</em> bridge in the valley was built by people who could not write, and it has carried
carts, soldiers, sheep and lorries for eight hundred years; see <a href="/plans.html">the plans</a>.</p>
<ul><li>stone carries weight</li><li>iron carries tension</li></ul>
<p><img src="/arch.png" alt="The arch"></p>
<p>Anybody can estimate the load on such an arch with a few lines, and be wrong by less than the builders were:</p>
<pre>span = 3
load = span * 9</pre>
<p>What the lines do not say is how the river moves the piers a little every winter, and how the people who
live there have learned to put back each spring what the water has taken away from them.</p>
</article><footer>Copyright The Gazette. All rights reserved.</footer></body></html>"""
WALL = """<html><head><title>Just a moment...</title></head><body><h1>Checking your browser before accessing
example.org</h1><p>Please enable cookies. This process is automatic.</p></body></html>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_text(ARTICLE)
    return file


def test_prints_the_text_of_a_file(nexus: Nexus, page: Path) -> None:
    response = nexus("extract", str(page))
    assert response.returncode == 0, response.stderr
    assert "keep that promise quietly" in response.stdout
    assert "span = 3\nload = span * 9" in response.stdout
    assert "Sport" not in response.stdout
    assert "Copyright" not in response.stdout


def test_html_is_safe_and_its_links_are_whole(nexus: Nexus, page: Path) -> None:
    response = nexus.invoke("extract", str(page), "--format", "html", "--base-url", "https://gazette.example/a/b")
    assert 'href="https://gazette.example/plans.html"' in response.stdout
    assert 'src="/media/image?url=https%3A%2F%2Fgazette.example%2Farch.png"' in response.stdout


def test_markdown_keeps_structure_and_the_pictures_own_address(nexus: Nexus, page: Path) -> None:
    response = nexus.invoke("extract", str(page), "--format", "markdown", "--base-url", "https://gazette.example/")
    assert "## What holds" in response.stdout
    assert "*oldest*" in response.stdout
    assert "- stone carries weight\n- iron carries tension" in response.stdout
    assert "![The arch](https://gazette.example/arch.png)" in response.stdout
    assert "```\nspan = 3\nload = span * 9\n```" in response.stdout


def test_json_says_everything(nexus: Nexus, page: Path) -> None:
    record = json.loads(nexus.invoke("extract", str(page), "--format", "json").stdout)
    assert (record["title"], record["byline"], record["lang"]) == ("On bridges", "Ada Byron", "en")
    assert record["verdict"] == {"outcome": "ok", "reason": None, "evidence": ""}
    assert record["excerpt"][:60] in record["text"]


def test_wall_is_named_on_stderr_with_its_own_exit_code(nexus: Nexus, tmp_path: Path) -> None:
    (tmp_path / "wall.html").write_text(WALL)
    response = nexus.invoke("extract", str(tmp_path / "wall.html"))
    assert response.returncode == 3
    assert response.stderr.startswith("nexus: blocked_page: bot_wall: ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["/no/such/file"], 1), ([], 2), (["-", "--jsonl", "a", "b"], 2), (["-", "--format", "pdf"], 2)],
)
def test_wrong_use_is_one_line(nexus: Nexus, arguments: list[str], code: int) -> None:
    response = nexus.invoke("extract", *arguments)
    assert response.returncode == code
    assert len(response.stderr.splitlines()) == 1


def test_many_pages_in_order_one_line_each_whatever_they_are(nexus: Nexus, tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": "article", "url": "https://gazette.example/", "html": ARTICLE}),
        "not json",
        json.dumps({"id": "no html"}),
        json.dumps({"id": "wall", "url": None, "html": WALL}),
        json.dumps({"id": "empty", "html": ""}),
        json.dumps({"id": "surrogate", "html": "<p>lone \ud800 half</p>"}),
        json.dumps({"id": "binary", "html": "\x00\x01\x02" * 1000}),
    ]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(lines) + "\n")
    response = nexus.invoke("extract", "--jsonl", str(source), str(target))
    assert response.returncode == 0, response.stderr
    records = [json.loads(line) for line in target.read_text().splitlines()]
    assert [r["id"] for r in records] == ["article", None, "no html", "wall", "empty", "surrogate", "binary"]
    assert all(set(r) == {"id", "text", "title", "content_html", "verdict", "error"} for r in records)
    nothing = "unparsable_html"
    assert [r["error"] for r in records] == [None, "invalid_line", "invalid_line", None, nothing, None, nothing]
    assert "keep that promise" in records[0]["text"]
    assert records[3]["verdict"]["reason"] == "bot_wall"
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}


def test_missing_input_leaves_no_output(nexus: Nexus, tmp_path: Path) -> None:
    response = nexus.invoke("extract", "--jsonl", str(tmp_path / "none"), str(tmp_path / "out"))
    assert (response.returncode, list(tmp_path.iterdir())) == (1, [])


def test_a_link_is_fetched_through_egress(nexus: Nexus) -> None:
    with running(Site()) as site:
        site.routes["/old"] = redirect("/a/bridges")
        site.routes["/a/bridges"] = text(ARTICLE.encode(), Content_Type="text/html")
        response = nexus.invoke(
            "extract", site.url("/old"), "--format", "html", NEXUS_EGRESS_ALLOW=f"127.0.0.2:{site.port}"
        )
    assert response.returncode == 0, response.stderr
    assert f'href="http://127.0.0.2:{site.port}/plans.html"' in response.stdout


def test_a_link_into_our_own_network_is_refused_in_one_line(nexus: Nexus) -> None:
    with running(Site()) as site:
        response = nexus.invoke("extract", site.url("/"))
        assert site.connections == 0
    assert (response.returncode, response.stdout) == (1, "")
    assert response.stderr == "nexus: 127.0.0.2 is a private or reserved address, not a public site.\n"


def test_a_bad_exception_list_stops_the_command(nexus: Nexus) -> None:
    response = nexus.invoke("extract", "https://example.org/", NEXUS_EGRESS_ALLOW="somewhere")
    assert response.returncode == 2
    assert response.stderr.startswith("nexus: 'somewhere' is not an egress exception")
