"""A strict reader of EPUB files for the tests of downloads, and books of many texts."""

import io
import re
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag
from uuid import uuid4

from lxml import etree

from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.epub_file import EpubFile
from nexus.services.downloads.markup import picture_urls, write_markup
from nexus.services.downloads.renditions import Rendition
from nexus.services.downloads.selection import LeftOut
from tests.api.pictures import picture

OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
XHTML = "{http://www.w3.org/1999/xhtml}"
SIGNATURES = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8"}
EPUBCHECK = "/usr/share/java/epubcheck.jar"  # of the Debian package
PRODUCED = datetime(2026, 5, 4, 12, tzinfo=UTC)


@dataclass
class Book:
    package: etree._Element
    documents: dict[str, etree._Element]
    files: dict[str, bytes]

    def facts(self, name: str) -> list[str]:
        return [each.text or "" for each in self.package.iter(DC + name)]

    def text(self, name: str) -> str:
        body = next(self.documents[name].iter(XHTML + "body"))
        return " ".join(" ".join(map(str, body.itertext())).split())


def read_book(data: bytes) -> Book:
    """Refuses what the standard forbids, as far as that shows without a schema."""
    assert data[30:58] == b"mimetypeapplication/epub+zip", "the first file is its media type, stored as it is"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names))
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in names}
    container = etree.fromstring(files["META-INF/container.xml"])
    assert [each.get("full-path") for each in container.iter("{*}rootfile")] == ["EPUB/package.opf"]
    package = etree.fromstring(files["EPUB/package.opf"])
    documents = _check_manifest(package, files)
    _check_metadata(package)
    for name, document in documents.items():
        _check_document(name, document, documents, files)
    return Book(package, documents, files)


def _check_manifest(package: etree._Element, files: Mapping[str, bytes]) -> dict[str, etree._Element]:
    items = list(package.iter(OPF + "item"))
    listed = [str(item.get("href")) for item in items]
    ids = [item.get("id") for item in items]
    assert len(set(ids)) == len(ids)
    in_book = {name.removeprefix("EPUB/") for name in files if name.startswith("EPUB/")} - {"package.opf"}
    assert sorted(listed) == sorted(in_book), "everything is listed once, and everything listed is there"
    for item in items:
        signature = SIGNATURES.get(str(item.get("media-type")), b"")
        assert files[f"EPUB/{item.get('href')}"].startswith(signature)
    assert sum("nav" in (item.get("properties") or "").split() for item in items) == 1
    spine = [each.get("idref") for each in package.iter(OPF + "itemref")]
    assert spine
    assert set(spine) <= set(ids)
    assert len(set(spine)) == len(spine)
    pages = [str(item.get("href")) for item in items if item.get("media-type") == "application/xhtml+xml"]
    return {name: etree.fromstring(files[f"EPUB/{name}"]) for name in pages}


def _check_metadata(package: etree._Element) -> None:
    identifiers = {each.get("id"): each.text or "" for each in package.iter(DC + "identifier")}
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", identifiers[package.get("unique-identifier")])
    assert [each.text for each in package.iter(DC + "title")]
    assert all(re.fullmatch(r"[A-Za-z]{2,3}(-\w+)*", each.text or "") for each in package.iter(DC + "language"))
    modified = [each.text for each in package.iter(OPF + "meta") if each.get("property") == "dcterms:modified"]
    assert len(modified) == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", modified[0] or "")


def _check_document(
    name: str, document: etree._Element, documents: Mapping[str, etree._Element], files: Mapping[str, bytes]
) -> None:
    assert document.tag == XHTML + "html"
    assert document.get("lang")
    assert document.get("dir") in ("ltr", "rtl")
    ids = [each.get("id") for each in document.iter() if each.get("id")]
    assert len(set(ids)) == len(ids)
    for image in document.iter(XHTML + "img"):
        assert image.get("alt") is not None
        assert f"EPUB/{image.get('src')}" in files
    for link in document.iter(XHTML + "a"):
        target, fragment = urldefrag(link.get("href") or "")
        if target.startswith(("http:", "https:", "mailto:")) or not (target or fragment):
            continue
        page = documents[target or name]
        assert not fragment or page.xpath("//*[@id=$id]", id=fragment)
    assert not list(document.iter(XHTML + "script"))
    attributes = {str(key) for each in document.iter() for key in each.attrib}
    assert not {key for key in attributes if key.startswith("on") or key == "style"}


def epubcheck(book: Path) -> str:
    """The messages of the reference checker about the file."""
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # half the processor time of a short run
    done = subprocess.run(
        ["java", *options, "-jar", EPUBCHECK, "--failonwarnings", str(book)],
        capture_output=True, text=True, check=False, timeout=250,
    )  # fmt: skip
    return f"exit {done.returncode}\n{done.stdout}{done.stderr}"


def article(html: str, **facts: Any) -> ExportedArticle:
    known: dict[str, Any] = {
        "media_id": uuid4(), "version": 1, "title": "A title", "source_url": "https://example.org/story",
        "site_name": "The Example", "byline": "Ann Author", "lang": "en", "published_at": PRODUCED,
        "saved_at": PRODUCED, "text_since": PRODUCED, "lead_image_url": None,
    }  # fmt: skip
    return ExportedArticle(**(known | facts), html=html)


def write_book(out: io.BytesIO, articles: list[ExportedArticle], left_out: list[LeftOut]) -> None:
    """Pictures with `none` in their address are missing, all others are there."""
    with EpubFile(out) as book:
        for each in articles:
            kept = [url for url in picture_urls(each.html) if "none" not in url]
            pictures = {url: book.add_picture(Rendition("image/png", picture())) for url in kept}
            markup = write_markup(each.html, pictures, title=each.title, syntax="xml")
            book.add_article(each, markup, re.sub("<[^>]*>", "", each.html))
        book.finish("Many texts", left_out)
