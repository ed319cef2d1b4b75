"""Dialogs, windows, downloads, permissions, and pages that never finish."""

import json
from pathlib import Path

import pytest

from nexus.web.rendering import Renderer
from tests.render.browser_processes import command_of, of_kind, tree
from tests.render.site import Site, article


def shown(renderer: Renderer, site: Site, path: str, extra: str) -> str:
    """What a page's script wrote into its title."""
    page = renderer.render(site.page(path, article("untouched", extra=extra)))
    assert page.title
    return page.title


def test_dialogs_are_dismissed(renderer: Renderer, fixture_site: Site) -> None:
    script = """<script>alert('hello'); onbeforeunload = e => { e.preventDefault(); return 'stay' };
    document.title = JSON.stringify([confirm('sure?'), prompt('name?')])</script>"""
    assert json.loads(shown(renderer, fixture_site, "/dialogs", script)) == [False, None]


def test_further_windows_are_closed_and_the_page_stays(renderer: Renderer, fixture_site: Site) -> None:
    fixture_site.page("/popup", article("The popup"))
    script = "<script>for (let i = 0; i < 3; i++) open('/popup'); document.title = 'the opener'</script>"
    assert shown(renderer, fixture_site, "/opens", script) == "the opener"


def test_a_download_does_not_disturb_the_page(renderer: Renderer, fixture_site: Site) -> None:
    fixture_site.page("/file", "x" * 1000, headers=(("Content-Disposition", "attachment; filename=f.bin"),))
    script = "<a id=d href=/file>f</a><script>d.click(); document.title = 'still here'</script>"
    assert shown(renderer, fixture_site, "/offers", script) == "still here"


def test_permissions_are_denied_at_once(renderer: Renderer, fixture_site: Site) -> None:
    script = """<body>asking<script>(async () => {
      const place = new Promise(done => navigator.geolocation.getCurrentPosition(
        () => done('given'), () => done('denied')));
      document.body.append([await Notification.requestPermission(), await place].join(' '));
    })()</script>"""
    assert "denied denied" in renderer.render(fixture_site.page("/permissions", script)).html


def test_printing_does_not_stop_it(renderer: Renderer, fixture_site: Site) -> None:
    script = "<script>print(); document.title = 'printed nothing'</script>"
    assert shown(renderer, fixture_site, "/prints", script) == "printed nothing"


def test_heavy_types_are_never_asked_for(renderer: Renderer, fixture_site: Site) -> None:
    extra = """<img src=/heavy.png><video src=/heavy.mp4></video><audio src=/heavy.mp3 autoplay></audio>
    <style>@font-face {font-family: f; src: url(/heavy.woff2)} p {font-family: f; background: url(/heavy.gif)}</style>
    <script src=/light.js></script>"""
    fixture_site.page("/light.js", "document.title = 'script ran'", type="text/javascript")
    assert shown(renderer, fixture_site, "/heavy", extra) == "script ran"
    assert [path for path in fixture_site.seen if "heavy." in path] == []


def test_the_user_agent_is_the_same_everywhere(renderer: Renderer, fixture_site: Site) -> None:
    script = "<script>document.title = navigator.userAgent</script>"
    assert shown(renderer, fixture_site, "/who", script) == "NexusBot/1.0 (test)"
    request = fixture_site.requests[fixture_site.seen.index("/who")]
    assert request["user-agent"] == "NexusBot/1.0 (test)"
    assert "proxy-authorization" not in request


def test_pages_share_no_storage(renderer: Renderer, fixture_site: Site) -> None:
    script = """<script>
      document.title = JSON.stringify([document.cookie, localStorage.length, !!navigator.serviceWorker?.controller]);
      document.cookie = 'seen=1; max-age=9999';
      localStorage.seen = 1</script>"""
    for _ in range(2):
        assert json.loads(shown(renderer, fixture_site, "/memory", script)) == ["", 0, False]


def test_a_page_cannot_fool_the_reader_with_its_prototypes(renderer: Renderer, fixture_site: Site) -> None:
    script = """<script>
      Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'lies'});
      Object.defineProperty(Document.prototype, 'URL', {get: () => 'http://lies.example/'});
      Object.defineProperty(String.prototype, 'length', {get: () => 0});
      JSON.stringify = () => 'lies'</script>"""
    url = fixture_site.page("/prototypes", article("True", extra=script))
    page = renderer.render(url)
    assert page.final_url == url
    assert page.html.count("The committee met") == 36


def test_a_page_that_grows_for_a_while_is_waited_for(renderer: Renderer, fixture_site: Site) -> None:
    def never_respond(_: object) -> None:
        fixture_site.open.wait()

    fixture_site.stream("/held", never_respond)
    # A short text must not change for 1.5 s, or for 2.5 s while a request is pending: a busy machine might miss the
    # first, and the 0.3 s of an article.
    script = """<body>early <script>let n = 0; const held = new AbortController();
      fetch('/held', {signal: held.signal}).catch(() => {});
      const timer = setInterval(() => {
        document.body.append(`late ${++n} `);
        if (n === 8) { clearInterval(timer); held.abort(); } }, 100)</script>"""
    page = renderer.render(fixture_site.page("/grows", script))
    assert "late 8" in page.html


def test_a_request_that_never_ends_does_not_delay_the_page(renderer: Renderer, fixture_site: Site) -> None:
    def never_respond(_: object) -> None:
        fixture_site.open.wait(300)

    url = fixture_site.stream("/poll", never_respond)
    script = f"<script>fetch('{url}'); new EventSource('{url}')</script>"
    assert renderer.render(fixture_site.page("/polls", article(extra=script))).status == 200


def test_environment_and_command_line_hold_no_secrets(
    renderer: Renderer, fixture_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    renderer.render(fixture_site.page("/environment", article()))
    processes = tree(renderer)
    (node,), (chromium,) = of_kind(processes, "node"), of_kind(processes, "chromium")
    assert set(node.environ()) <= {"PATH", "LANG", "HOME", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS"}
    assert Path(node.environ()["HOME"]).parent.name.startswith("nexus-render-")
    switches = chromium.cmdline()
    assert "--proxy-bypass-list=<-loopback>" in switches
    assert "--disable-quic" in switches
    assert ("--no-sandbox" in switches) == (not renderer._tools.sandbox)
    password = renderer._options.proxy.password
    assert [one for one in processes if password in command_of(one)] == []
