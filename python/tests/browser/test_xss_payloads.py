from itertools import chain

import nh3
import pytest
from playwright.sync_api import Browser

from nexus.text.sanitize import ALLOWED_ATTRIBUTES, ALLOWED_TAGS, LINK_ATTRIBUTES, sanitize_html
from tests.browser.chromium import FRAMES_AT_ONCE, FragmentServer, How, ParsedFragments, show
from tests.browser.xss_payloads import CLASSES

BASE = "https://site.example/articles/one.html"
PAYLOADS = {f"{kind}-{number}": payload for kind, all_ in CLASSES.items() for number, payload in enumerate(all_)}

ALLOWED_IN_THE_DOM = (
    ALLOWED_TAGS
    | {f"{tag} {name}" for tag, names in ALLOWED_ATTRIBUTES.items() for name in names}
    | {f"a {name}" for name in LINK_ATTRIBUTES}
)


@pytest.mark.parametrize("how", ["rendered", "inserted"])
def test_the_raw_payloads_do_run_script(browser: Browser, server: FragmentServer, how: How) -> None:
    """The control: a harness that sees nothing here would prove nothing below."""
    sample = {name: payload for name, payload in PAYLOADS.items() if int(name.rpartition("-")[2]) % 4 == 0}
    # By the standard a <script> that comes in through innerHTML never runs.
    silent = {"scripts"} if how == "inserted" else set()

    def silent_classes(shown: ParsedFragments) -> set[str]:
        return set(CLASSES) - {name.rpartition("-")[0] for name in shown.attempts}

    def most_run(shown: ParsedFragments) -> bool:
        return silent_classes(shown) <= silent and len(shown.attempts) > len(sample) / 2

    assert len(sample) <= FRAMES_AT_ONCE, "all must be shown at once, to wait for their classes"
    shown = show(browser, server, sample, how, is_enough=most_run)
    assert silent_classes(shown) == silent
    assert len(shown.attempts) > len(sample) / 2


@pytest.mark.parametrize("how", ["rendered", "inserted"])
def test_no_sanitized_payload_runs_script(browser: Browser, server: FragmentServer, how: How) -> None:
    outputs = {sanitize_html(payload, BASE) for payload in PAYLOADS.values()}
    fragments = {f"output-{number}": output for number, output in enumerate(sorted(outputs))}
    shown = show(browser, server, fragments, how)
    assert dict(shown.attempts) == {}
    assert set(shown.elements) == set(fragments)
    assert set(chain.from_iterable(shown.elements.values())) <= ALLOWED_IN_THE_DOM


def test_the_reverse_order_would_run_script(browser: Browser, server: FragmentServer) -> None:
    """Why nh3 comes last: cleaned first and trimmed afterwards, a harmless relative link becomes a script."""
    cleaned = nh3.clean('<a href="\u00a0javascript:alert(1)">x</a>')
    rewritten = cleaned.replace("\u00a0", "").replace("&nbsp;", "")
    fragments = {"reverse": rewritten, "ours": sanitize_html(cleaned, BASE)}
    shown = show(browser, server, fragments, "rendered")
    assert set(shown.attempts) == {"reverse"}
