"""Rendering a page reaches only the hosts that the page requests: Chromium's own requests are refused."""

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import psutil
import pytest

from nexus.web.egress import Egress
from nexus.web.egress.proxy import FilteringProxy
from nexus.web.egress.requested_hosts import RequestedHosts
from nexus.web.public_address import AllowList
from nexus.web.rendering import Proxy, Renderer, RenderOptions, Tools
from tests.processes import eventually
from tests.render.browser_processes import PatientRenderer, of_kind, tree
from tests.render.site import Site, article

FORM = "<form action=/send method=post>{}<button>Send</button></form>"
ADDRESS = FORM.format("<input autocomplete=name><input autocomplete=street-address><input autocomplete=tel>")
LOGIN = FORM.format("<input name=user autocomplete=username><input type=password name=p>")
FORMS = (
    LOGIN,
    ADDRESS,
    FORM.format("<input type=email name=e><input type=password autocomplete=new-password name=p>"),
    FORM.format("<input autocomplete=cc-number><input autocomplete=cc-exp><input autocomplete=cc-csc>"),
    FORM.format("<input type=search name=q>"),
    FORM.format("<input autocomplete=one-time-code inputmode=numeric>"),
    "<textarea spellcheck=true autofocus>teh wrods are mispeled</textarea>",
    """<div id=f></div><script>setTimeout(() => { f.innerHTML =
        '<form><input name=email autocomplete=email><input name=zip></form>' }, 200)</script>""",
)
# These exist only for pages of a trustworthy origin, which loopback is.
SERVICES = (
    """<script>try { new PaymentRequest([{supportedMethods: 'https://google.com/pay'}],
        {total: {label: 'x', amount: {currency: 'EUR', value: '1'}}}).canMakePayment() } catch {}</script>""",
    """<script>navigator.credentials?.get({publicKey: {challenge: new Uint8Array(16),
        allowCredentials: []}, mediation: 'conditional'}).catch(() => {})</script>""",
    """<script>navigator.credentials?.get({identity: {providers: [
        {configURL: 'HOST/fedcm.json', clientId: 'x'}]}}).catch(() => {})</script>""",
    "<script>try { new webkitSpeechRecognition().start() } catch {}; speechSynthesis?.getVoices()</script>",
    "<script>navigator.geolocation.getCurrentPosition(() => {}, () => {})</script>",
    "<script>Notification?.requestPermission?.()</script>",
)
HINTS = (
    "<link rel=dns-prefetch href=//hinted.example><link rel=preconnect href=https://hinted.example>",
    "<link rel=prefetch href=https://hinted.example/next><link rel=prerender href=https://hinted.example/>",
    """<script type=speculationrules>{"prefetch": [{"source": "list",
        "urls": ["https://hinted.example/next"]}], "prerender": [{"source": "list", "urls": ["/plain"]}]}</script>""",
    "<link rel=icon href=/icon.png><link rel=apple-touch-icon href=/touch.png>",
    "<link rel=manifest href=/app.webmanifest>",
)
# Each is a page of its own, which costs a second of processor. HOST stands for another host, of which each page has one
# by the number in it; some request hinted.example.
PAGES = {
    "plain": "",
    "forms": "".join(FORMS),
    "forms on loopback": "".join(FORMS),
    "a form that sends itself": """<iframe name=t></iframe><form target=t action=/send method=post>
        <input name=email autocomplete=email value=a@b.example><input type=password name=p value=secret></form>
        <script>document.forms[0].submit()</script>""",
    "services": "".join(SERVICES),
    "services on loopback": "".join(SERVICES),
    "German": "<html lang=de><p>Die Sitzung begann um neun Uhr, und niemand wusste später, wer zuerst sprach.</p>",
    "Japanese": "<html lang=ja><p>会議は火曜日に始まり、誰が最初に話したのか誰も覚えていなかった。</p>",
    "hints": "".join(HINTS),
    "requests": """<style>@font-face {font-family: w; src: url(HOST/w.woff2)} p {font-family: w}</style>
        <img src=HOST/i.png><video src=HOST/v.mp4 autoplay></video><script src=/to-other></script>
        <script src=HOST1/other.js></script><link rel=stylesheet href=HOST2/other.css>
        <iframe src=HOST3/frame></iframe><script>fetch('HOST4/data', {mode: 'no-cors'}).catch(() => {})</script>""",
    "WebSocket and worker": """<script>new WebSocket('HOST1/socket'.replace('http', 'ws'));
        new Worker(URL.createObjectURL(new Blob(["fetch('HOST2/w', {mode: 'no-cors'})"])))</script>""",
    "download": "<a id=d href=/file download>f</a><script>d.click()</script>",
    "report": "<meta http-equiv=Content-Security-Policy content=\"img-src 'none'; report-uri https://hinted.example/r\">",
}
# What pages must still get, by page. The renderer waits for requests for 2.5 seconds, and not for sockets and workers.
REACHED = {
    name: {f"other{kind}-{list(PAGES).index(name)}.example" for kind in kinds}
    for name, kinds in {"requests": (1, 2, 3, 4), "WebSocket and worker": (1, 2)}.items()
}
REACHED["requests"].add("redirected.example")


class Recording(RequestedHosts):
    """Records the hosts that the proxy was asked for, and those that passed."""

    def __init__(self) -> None:
        super().__init__()
        self.attempted: set[str] = set()
        self.passed: set[str] = set()

    def wait_for(self, host: str, port: int, seconds: float) -> bool:
        passes = super().wait_for(host, port, seconds)
        self.attempted.add(host)
        if passes:
            self.passed.add(host)
        return passes


@pytest.fixture(scope="module")
def lookups() -> list[str]:
    return []


@pytest.fixture(scope="module")
def recorded(
    tools: Tools, options: RenderOptions, fixture_site: Site, lookups: list[str]
) -> Iterator[tuple[Renderer, Recording]]:
    def resolve(host: str, port: int) -> Sequence[str]:
        lookups.append(host)
        return ["127.0.0.1"]

    allow = AllowList.parse(["127.0.0.1/32"])
    requested_hosts = Recording()
    with (
        Egress(allow=allow, user_agent="unused", resolver=resolve) as egress,
        FilteringProxy(egress.dialer, requested_hosts=requested_hosts) as proxy,
        PatientRenderer(
            tools,
            replace(options, proxy=Proxy(proxy.address, proxy.username, proxy.password, requested_hosts)),
        ) as renderer,
    ):
        yield renderer, requested_hosts


def test_only_hosts_of_the_pages_are_reached(
    recorded: tuple[Renderer, Recording], fixture_site: Site, lookups: list[str]
) -> None:
    renderer, requested_hosts = recorded
    port = fixture_site.server_port
    fixture_site.page("/to-other", status=302, headers=(("Location", f"http://redirected.example:{port}/other.js"),))
    fixture_site.page("/file", "x" * 1000, headers=(("Content-Disposition", "attachment; filename=f.bin"),))
    fixture_site.page("/app.webmanifest", '{"name": "x", "icons": []}', type="application/manifest+json")
    for number, (name, extra) in enumerate(PAGES.items()):
        html = article(name, extra=re.sub(r"HOST(\d?)", rf"http://other\1-{number}.example:{port}", extra))
        hosts = REACHED.get(name, set())
        may_end = partial(hosts.issubset, requested_hosts.passed)
        fixture_site.held_page(f"/background/{number}", html, may_end, f"not all of {hosts} were reached")
        host = "127.0.0.1" if "loopback" in name else f"page-{number}.example"
        page = renderer.render(f"http://{host}:{port}/background/{number}")
        assert page.status == 200
    reached = set().union(*REACHED.values())
    own = {"127.0.0.1", "hinted.example"} | reached
    own |= {f"{kind}-{number}.example" for number in range(len(PAGES)) for kind in ("page", "other")}
    assert requested_hosts.passed <= own
    assert set(lookups) <= own
    assert reached <= requested_hosts.passed, "pages must still get what they request"


def test_forms_are_not_described_to_the_autofill_service(
    recorded: tuple[Renderer, Recording], fixture_site: Site
) -> None:
    """Not even tried: the proxy is only the second line of defence."""
    renderer, requested_hosts = recorded
    for number in range(3):
        url = fixture_site.page(f"/form/{number}", article("Form", extra=ADDRESS + LOGIN))
        renderer.render(url)
    assert not {host for host in requested_hosts.attempted if "autofill" in host}


def test_a_page_has_one_process_of_its_own(renderer: Renderer, fixture_site: Site) -> None:
    """None for a page to be opened next, and none for the address bar of a window that nobody sees."""
    renderer.render(fixture_site.page("/before", article()))
    # The process of a page ends some time after the page is closed.
    eventually(lambda: not of_kind(tree(renderer), "renderer"), "the process of the page before is still there")
    slow = article(extra="<script>setInterval(() => document.body.append('.'), 50)</script>")
    reading = threading.Thread(target=renderer.render, args=(fixture_site.page("/alone", slow),))
    reading.start()
    seen: set[psutil.Process] = set()
    while reading.is_alive():
        seen |= set(of_kind(tree(renderer), "renderer"))
        reading.join(0.05)
    assert len(seen) == 1


def test_what_playwright_turns_off_stays_off(renderer: Renderer, fixture_site: Site) -> None:
    """Only the last switch of a name counts, so one must hold both lists."""
    renderer.render(fixture_site.page("/features", article()))
    (chromium,) = of_kind(tree(renderer), "chromium")
    switches = [one for one in chromium.cmdline() if one.startswith("--disable-features=")]
    assert len(switches) == 1
    off = switches[0].partition("=")[2].split(",")
    assert {"AutofillServerCommunication", "OptimizationHints", "HttpsUpgrades", "MediaRouter"} <= set(off)


def test_a_host_counts_while_a_page_that_requested_it_is_open() -> None:
    hosts = RequestedHosts()
    for page, url in ((1, "https://a.example/x"), (2, "wss://a.example/y"), (1, "http://[::1]:8080/"), (1, "data:,x")):
        hosts.add(page, url)
    assert hosts.wait_for("a.example", 443, 0)
    assert hosts.wait_for("::1", 8080, 0)
    assert not hosts.wait_for("a.example", 80, 0)
    hosts.remove(1)
    assert hosts.wait_for("a.example", 443, 0)
    assert not hosts.wait_for("::1", 8080, 0)
    hosts.remove(2)
    assert not hosts.wait_for("a.example", 443, 0)


def test_a_request_may_be_reported_after_its_connection() -> None:
    hosts = RequestedHosts()
    late = threading.Timer(0.2, hosts.add, (1, "https://late.example/"))
    late.start()
    assert hosts.wait_for("late.example", 443, 60)
    late.join()
