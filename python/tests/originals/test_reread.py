"""Reading originals again: better and different texts become versions, worse ones are noted, nothing is lost."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from nexus.pipelines.reread import Rereader, RereadResult, RereadSelection
from nexus.services.originals.pending_originals import NewOriginal, add_originals
from nexus.services.users import CurrentUser
from nexus.text.originals.original_file import Original, OriginalFacts, pack
from nexus.text.process_pool import ProcessPool
from nexus.text.read_page import read_page
from nexus.text.readings.extractor_version import EXTRACTOR
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import article
from tests.originals.saved_originals import SavedOriginals
from tests.pipelines.pages import SENTENCE, article_page, fixture
from tests.processes import Nexus, eventually, plain_url, run_nexus

ALL = RereadSelection(EXTRACTOR)
PAGE = article_page()
TEXT = read_page(PAGE, content_type="text/html", url="https://example.org/ferry").text
# What an extractor could have made of the page that lost half of it, or took its site's menu for text.
HALF = TEXT[: len(TEXT) // 2]
MORE = TEXT + "\n" + "\n".join(f"Related story number {number}: {SENTENCE}" for number in range(20))


@pytest.fixture(scope="module")
def texts() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, niceness=1, deadline_seconds=120) as pool:
        yield pool


@pytest.fixture
def library(saved: SavedOriginals, texts: ProcessPool) -> "Library":
    return Library(saved, texts)


class Library:
    """Texts that an older extractor has read."""

    def __init__(self, saved: SavedOriginals, texts: ProcessPool) -> None:
        self.saved, self.steps, self.texts = saved, saved.steps, texts

    def add(self, words: str, page: bytes = PAGE, *, user: CurrentUser | None = None, moved: bool = True) -> UUID:
        item = self.steps.save(user or self.steps.user())
        claim = self.steps.claim_one()
        url = f"https://example.org/{item}"
        original = Original(pack(page, OriginalFacts("fetched", url, content_type="text/html", status=200)))
        self.steps.succeed(claim, article(url, words, title="As it was", original=original))
        if moved:
            self.saved.move_all()
        with self.steps.session() as session:
            session.connection().exec_driver_sql("UPDATE originals SET read_with = 0 WHERE reread_result IS NULL")
        return self.steps.media_of(item)

    def reader(self, *, dry_run: bool = False) -> Rereader:
        return Rereader(self.steps.database, self.saved.store, self.texts, min_chars=600, dry_run=dry_run)

    def reread(
        self, selection: RereadSelection = ALL, *, dry_run: bool = False, at_most: int = 1000
    ) -> list[RereadResult]:
        done: list[RereadResult] = []
        for each in self.reader(dry_run=dry_run).run(selection, at_once=1, is_stopping=lambda: len(done) >= at_most):
            done.append(each)  # noqa: PERF402 - the run asks how many there are
        return done

    def versions(self, media: UUID) -> list[tuple[int, str, int | None]]:
        query = "SELECT version, origin, extractor FROM media_versions WHERE media_id = %s ORDER BY version"
        with self.steps.connection.transaction():
            return self.steps.connection.execute(query, [media]).fetchall()

    def text(self, media: UUID) -> str:
        query = (
            "SELECT string_agg(canonical_text, chr(10) ORDER BY idx) FROM fragments JOIN media ON media.id = media_id"
            " AND version = current_version WHERE media.id = :p0"
        )
        return str(self.steps.row(query, media)[0])

    def title(self, media: UUID) -> str:
        return str(self.steps.row("SELECT title FROM media WHERE id = :p0", media)[0])


def test_a_better_text_becomes_the_current_version_with_the_same_original(library: Library) -> None:
    media = library.add(HALF)
    (done,) = library.reread()
    assert (done.media_id, done.result, done.title) == (media, "better", "As it was")
    assert done.words_before < (done.words_after or 0)
    assert (library.text(media), library.title(media)) == (TEXT, "The ferry")
    assert library.versions(media) == [(1, "fetched", EXTRACTOR), (2, "reread", EXTRACTOR)]
    assert library.saved.content(media, 1) == library.saved.content(media, 2) == PAGE
    assert library.saved.blobs() == 1
    assert library.reread() == []


def test_an_original_that_still_waits_for_the_store_is_read_too(library: Library) -> None:
    media = library.add(HALF, moved=False)
    assert [each.result for each in library.reread()] == ["better"]
    library.saved.make_due()
    library.saved.move_all()
    assert library.saved.content(media, 1) == library.saved.content(media, 2) == PAGE


def test_items_that_wait_for_text_get_it(library: Library) -> None:
    media = library.add("Too short.")
    assert library.steps.row("SELECT status FROM items WHERE media_id = :p0", media) == ("needs_user_text",)
    assert [each.result for each in library.reread()] == ["better"]
    assert library.steps.row("SELECT status FROM items WHERE media_id = :p0", media) == ("succeeded",)


def test_the_same_text_and_a_worse_one_add_nothing_and_are_not_read_twice(library: Library) -> None:
    same, worse, wall = library.add(TEXT), library.add(MORE), library.add(TEXT, fixture("walls/captcha.html"))
    results = {each.media_id: each for each in library.reread()}
    assert [results[each].result for each in (same, worse, wall)] == ["same", "worse", "worse"]
    assert results[wall].detail
    assert [len(library.versions(each)) for each in (same, worse, wall)] == [1, 1, 1]
    assert library.text(worse) == MORE
    assert library.reread() == []


def test_one_original_that_cannot_be_read_does_not_stop_the_others(library: Library, folder: Path) -> None:
    broken = library.add(HALF, article_page("Broken"))
    (sha256,) = library.steps.row("SELECT sha256 FROM originals WHERE media_id = :p0", broken)
    (folder / sha256.hex()[:2] / sha256.hex()).unlink()
    empty, good = library.add(HALF, b""), library.add(HALF)
    results = {each.media_id: each.result for each in library.reread()}
    assert results == {broken: "unreadable", empty: "unreadable", good: "better"}


def test_a_dry_run_changes_nothing(library: Library) -> None:
    media = library.add(HALF)
    assert [each.result for each in library.reread(dry_run=True)] == ["better"]
    assert (library.text(media), len(library.versions(media))) == (HALF, 1)
    assert [each.result for each in library.reread()] == ["better"]


def test_what_is_stopped_goes_on_where_it_was(library: Library) -> None:
    media = {library.add(HALF, article_page(f"Number {number}")) for number in range(6)}
    first = library.reread(at_most=2)
    assert 2 <= len(first) < 6
    rest = library.reread()
    assert {each.media_id for each in first} | {each.media_id for each in rest} == media
    assert len(first) + len(rest) == 6
    assert {len(library.versions(each)) for each in media} == {2}


def test_a_text_that_changed_or_went_meanwhile_is_left_alone(library: Library) -> None:
    user = library.steps.user()
    changed, removed = library.add(HALF), library.add(HALF, user=user)
    due = list(library.reader()._due(ALL))
    (url,) = library.steps.row("SELECT canonical_url FROM media WHERE id = :p0", changed)
    library.steps.save(user, url)
    assert library.steps.succeed(library.steps.claim_one(), article(url, MORE)) == "new_version"
    (item,) = library.steps.row("SELECT id FROM items WHERE media_id = :p0", removed)
    library.steps.remove(user, item)
    assert [library.reader().reread(each) for each in due] == [None, None]
    assert (library.text(changed), len(library.versions(changed))) == (MORE, 2)
    assert library.reread() == []  # the original is that of an earlier state of the page


def test_only_what_is_selected_is_read(library: Library) -> None:
    chosen, other = library.add(HALF), library.add(HALF, article_page("Another"))
    assert [each.media_id for each in library.reread(RereadSelection(EXTRACTOR, [chosen]))] == [chosen]
    with library.steps.session() as session:
        session.connection().exec_driver_sql("UPDATE originals SET read_with = -3 WHERE media_id = %s", (other,))
    assert library.reread(RereadSelection(-3)) == []
    assert [each.media_id for each in library.reread(RereadSelection(-2))] == [other]


def test_a_transcript_gets_its_times_and_its_show_notes(library: Library) -> None:
    sentences = [f"Sentence number {number} says what was said." for number in range(40)]
    user = library.steps.user()
    media = save_episode(library.steps.database, user.user_id, fragments_of(*sentences[:20]), word_count=140)
    vtt = "WEBVTT\n" + "".join(
        f"\n00:{at:02}.000 --> 00:{at:02}.900\n<v Ada>{line}\n" for at, line in enumerate(sentences)
    )
    facts = OriginalFacts(
        "transcript", content_type="text/vtt", format="vtt", declared="vtt", pause_ms=1500, notes_html="<p>Notes.</p>"
    )
    with library.steps.session() as session:
        add_originals(session, [NewOriginal(media, 1, Original(pack(vtt.encode(), facts)), None, is_direct=True)])
        session.connection().exec_driver_sql("UPDATE originals SET read_with = 0")
    assert [each.result for each in library.reread()] == ["better"]
    assert library.versions(media)[1][:2] == (2, "reread")
    query = "SELECT canonical_text, start_ms FROM fragments WHERE media_id = %s AND version = 2 ORDER BY idx"
    fragments = library.steps.connection.execute(query, [media]).fetchall()
    assert fragments[0] == (f"Ada: {fragments[0][0].removeprefix('Ada: ')}", 0)
    assert fragments[-1] == ("Notes.", None)
    assert library.steps.row("SELECT word_count FROM media WHERE id = :p0", media)[0] > 140


@pytest.fixture
def nexus(library: Library, folder: Path) -> Iterator[Nexus]:
    url = plain_url(library.steps.database.url)
    with run_nexus(folder.parent, DATABASE_URL=url, NEXUS_STORE=f"file:{folder}") as command:
        yield command


def test_the_command_reports_what_became_of_each(library: Library, nexus: Nexus) -> None:
    better, worse = library.add(HALF), library.add(MORE)
    library.add(TEXT)
    tried = nexus.invoke("reread", "--all", "--dry-run", "--json")
    assert json.loads(tried.stdout)["counts"] == {"better": 1, "different": 0, "worse": 1, "unreadable": 0, "same": 1}
    done = nexus.invoke("reread", "--all")
    assert done.returncode == 0, done.stderr
    assert "1 better" in done.stdout
    assert f"/read/{better}  As it was" in done.stdout
    assert f"/read/{worse}" in done.stdout
    again = json.loads(nexus.invoke("reread", "--all", "--json").stdout)
    assert (again["read"], again["left"], again["counts_of_all_runs"]["better"]) == (0, 0, 1)


def test_the_command_reads_what_a_search_finds_in_any_library(library: Library, nexus: Nexus) -> None:
    found, other = library.add(HALF), library.add(HALF.replace("ferry", "boat"), article_page("Another"))
    report = json.loads(nexus.invoke("reread", "--query", "ferry -boat", "--json").stdout)
    assert [each["media_id"] for each in report["media"]] == [str(found)]
    assert report["left"] == 0
    report = json.loads(nexus.invoke("reread", "--older-than", "99", "--json").stdout)
    assert [each["media_id"] for each in report["media"]] == [str(other)]


def test_the_command_requires_a_selection(nexus: Nexus) -> None:
    refused = nexus.invoke("reread")
    assert refused.returncode == 2
    assert "--all" in refused.stderr


def test_a_killed_run_goes_on_when_it_is_started_again(library: Library, nexus: Nexus) -> None:
    media = [library.add(HALF, article_page(f"Number {number}")) for number in range(12)]

    def noted() -> int:
        (count,) = library.steps.row("SELECT count(*) FROM originals WHERE reread_result IS NOT NULL")
        return int(count)

    process = nexus.start("reread", "--all")
    eventually(lambda: noted() > 0, "nothing was read again")
    process.kill()
    process.wait()
    report = json.loads(nexus.invoke("reread", "--all", "--json").stdout)
    assert report["counts_of_all_runs"]["better"] == len(media)
    assert {tuple(library.versions(each)) for each in media} == {((1, "fetched", EXTRACTOR), (2, "reread", EXTRACTOR))}
