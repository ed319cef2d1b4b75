"""Whatever a page tries, it reaches nothing on this machine but the site it came from."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from nexus.errors import BlockedAddressError, EgressError
from nexus.web.rendering import Renderer, Tools
from tests.render.browser_processes import PAGE_SECONDS
from tests.render.site import Canary, Site, article

# Each tries HERE, an address such as 127.0.0.1:45678, without leaving the page.
IN_PAGE = {
    "img": "<img src=http://HERE/img>",
    "picture": "<picture><source srcset=http://HERE/p><img></picture>",
    "iframe": "<iframe src=http://HERE/iframe></iframe>",
    "frame by redirect": "<iframe src=/redirect></iframe>",
    "object": "<object data=http://HERE/object></object><embed src=http://HERE/embed>",
    "video": "<video src=http://HERE/video autoplay></video><audio src=http://HERE/audio autoplay></audio>",
    "script": "<script src=http://HERE/script></script>",
    "script by redirect": "<script src=/redirect></script>",
    "module": "<script type=module>import 'http://HERE/module'</script>",
    "style sheet": "<link rel=stylesheet href=http://HERE/css><style>@import 'http://HERE/import';</style>",
    "font": "<style>@font-face {font-family: x; src: url(http://HERE/font)} p {font-family: x}</style><p>x</p>",
    "background": "<p style='background: url(http://HERE/background)'>x</p>",
    "svg": "<svg><image href=http://HERE/svg /><use href=http://HERE/use#x /></svg>",
    "icon and manifest": "<link rel=icon href=http://HERE/icon><link rel=manifest href=http://HERE/manifest>",
    "hints": "".join(
        f"<link rel={rel} as=script href=http://HERE/{rel}>"
        for rel in ("prefetch", "preload", "preconnect", "dns-prefetch", "modulepreload", "prerender")
    ),
    "speculation rules": """<script type=speculationrules>
        {"prerender": [{"source": "list", "urls": ["http://HERE/speculation"]}],
         "prefetch": [{"source": "list", "urls": ["http://HERE/speculation2"]}]}</script>""",
    "fetch": "<script>fetch('http://HERE/fetch', {mode: 'no-cors', keepalive: true}).catch(() => {})</script>",
    "fetch by redirect": "<script>fetch('/redirect', {mode: 'no-cors'}).catch(() => {})</script>",
    "XHR": "<script>x = new XMLHttpRequest(); x.open('GET', 'http://HERE/xhr'); x.send()</script>",
    "beacon": "<script>navigator.sendBeacon('http://HERE/beacon', 'x')</script>",
    "WebSocket": "<script>new WebSocket('ws://HERE/ws')</script>",
    "EventSource": "<script>new EventSource('http://HERE/events')</script>",
    "WebTransport": "<script>try { new WebTransport('https://HERE/wt').ready.catch(() => {}) } catch {}</script>",
    "WebRTC": """<script>p = new RTCPeerConnection({iceServers: [
        {urls: 'stun:HERE'}, {urls: 'turn:HERE?transport=tcp', username: 'a', credential: 'b'}]});
        p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))</script>""",
    "worker": """<script>new Worker(URL.createObjectURL(new Blob(
        ["importScripts('http://HERE/worker')"])))</script>""",
    "worker's fetch": """<script>new Worker(URL.createObjectURL(new Blob(
        ["fetch('http://HERE/workerfetch', {mode: 'no-cors'}); new WebSocket('ws://HERE/workerws')"])))</script>""",
    "shared worker": "<script>try { new SharedWorker('http://HERE/shared') } catch {}</script>",
    "service worker": "<script>navigator.serviceWorker?.register('/sw.js').catch(() => {})</script>",
    "form into a frame": """<iframe name=f></iframe><form target=f method=post action=http://HERE/form>
        <input name=a value=b></form><script>document.forms[0].submit()</script>""",
    "window": "<script>window.open('http://HERE/window')</script>",
    "link with a ping": "<a id=l href=# ping=http://HERE/ping>x</a><script>l.click()</script>",
    "CSP report": "<meta http-equiv=Content-Security-Policy content=\"img-src 'none'; report-uri http://HERE/csp\">",
}

# Each takes the page itself there.
AWAY = {
    "location": "<script>location = 'http://HERE/'</script>",
    "meta refresh": "<meta http-equiv=refresh content='0;url=http://HERE/'>",
    "form": "<form method=post action=http://HERE/></form><script>document.forms[0].submit()</script>",
    "redirect": None,
    "download": "<a id=d download href=http://HERE/download>x</a><script>d.click()</script>",
    "other spelling": "<script>location = 'http://0x7f.1:PORT/'</script>",
    "name": "<script>location = 'http://localhost:PORT/'</script>",
    "IPv6 around it": "<script>location = 'http://[::ffff:127.0.0.1]:PORT/'</script>",
    "any address": "<script>location = 'http://0.0.0.0:PORT/'</script>",
}


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    try:
        yield canary
    finally:
        canary.close()


def prepared(site: Site, canary: Canary, html: str, path: str) -> str:
    site.page("/redirect", status=302, headers=(("Location", f"http://{canary.address}/redirected"),))
    site.page("/sw.js", f"fetch('http://{canary.address}/sw')", type="text/javascript")
    return site.page(path, html.replace("HERE", canary.address).replace("PORT", str(canary.port)))


def test_everything_a_page_can_request(renderer: Renderer, fixture_site: Site, canary: Canary) -> None:
    html = article("Tries it all", extra="\n".join(IN_PAGE.values()))
    page = renderer.render(prepared(fixture_site, canary, html, "/tries"))
    assert page.title == "Tries it all"
    assert "/redirect" in fixture_site.seen
    canary.close()
    assert canary.hits == []


@pytest.mark.parametrize("way", AWAY)
def test_a_page_that_navigates_to_the_canary(renderer: Renderer, fixture_site: Site, canary: Canary, way: str) -> None:
    html = AWAY[way]
    url = prepared(fixture_site, canary, html or "", f"/away/{way.replace(' ', '-')}")
    if html is None:
        url = fixture_site.origin + "/redirect"
    with pytest.raises(BlockedAddressError):
        renderer.render(url)
    canary.close()
    assert canary.hits == []


def test_a_tunnel_to_it_is_refused(renderer: Renderer, fixture_site: Site, canary: Canary) -> None:
    url = prepared(fixture_site, canary, "<script>location = 'https://HERE/'</script>", "/tunnel")
    with pytest.raises(EgressError):
        renderer.render(url)
    canary.close()
    assert canary.hits == []


def test_the_canary_is_reached_without_the_proxy(tools: Tools, fixture_site: Site, canary: Canary) -> None:
    """The control for the tests above: the script run by hand, without the proxy, does reach the canary."""
    paths = {"iframe": "iframe", "script": "script", "fetch": "fetch", "WebSocket": "ws"}
    html = article("Tries some", extra="\n".join(map(IN_PAGE.__getitem__, paths))).replace("HERE", canary.address)

    def is_reached() -> bool:
        return all(any(f"/{path} " in hit for hit in canary.hits) for path in paths.values())

    url = fixture_site.held_page("/sings", html, is_reached, "not all of them reached it")
    limits = {"timeout_ms": PAGE_SECONDS * 1000, "readability": "off"}
    request = {"url": url, "options": {"chromium": str(tools.chromium)}} | limits
    done = subprocess.run(
        [tools.node, tools.script], input=json.dumps(request), text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert is_reached()
