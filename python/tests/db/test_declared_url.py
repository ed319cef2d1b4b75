"""The address that a page claims for itself is stored and decides nothing: a hostile page may claim another's."""

from tests.lifecycle_steps import LONG, URL, LifecycleSteps, article

DECLARED = "SELECT canonical_url, declared_url FROM media WHERE id = :p0"


def test_it_is_stored_beside_the_address_that_was_read(steps: LifecycleSteps) -> None:
    item = steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(declared_url="https://example.org/canonical"))
    assert steps.row(DECLARED, steps.media_of(item)) == (URL, "https://example.org/canonical")


def test_a_page_that_claims_another_s_address_does_not_become_it(steps: LifecycleSteps) -> None:
    first = steps.save(steps.user())
    steps.succeed(steps.claim_one(), article(words="What the page says. " * 60))
    hostile = steps.save(steps.user(), "https://hostile.example/")
    found = article("https://hostile.example/", LONG, declared_url=URL)
    assert steps.succeed(steps.claim_one(), found) == "won"
    assert steps.media_of(hostile) != steps.media_of(first)
    assert steps.row(DECLARED, steps.media_of(hostile)) == ("https://hostile.example/", URL)
    later = steps.save(steps.user())
    assert steps.succeed(steps.claim_one(), article(words="What the page says. " * 60)) == "merged"
    assert steps.media_of(later) == steps.media_of(first)


def test_pages_that_claim_the_same_address_stay_two(steps: LifecycleSteps) -> None:
    items = []
    for url in ("https://a.example/1", "https://b.example/2"):
        items.append(steps.save(steps.user(), url))
        assert steps.succeed(steps.claim_one(), article(url, declared_url="https://c.example/")) == "won"
    assert steps.media_of(items[0]) != steps.media_of(items[1])


def test_a_kept_copy_has_it_too(steps: LifecycleSteps) -> None:
    user = steps.user()
    item = steps.save(user)
    steps.succeed(steps.claim_one(), article(words="Short.", declared_url="https://c.example/"))
    steps.keep(user, item)
    assert steps.row(DECLARED, steps.media_of(item)) == (None, "https://c.example/")
