"""A page's URL is that of the document that the network delivered, whatever its scripts claim."""

import pytest

from nexus.errors import RenderFailedError
from nexus.web.rendering import Renderer
from tests.render.site import Site, article

ATTACHMENT = (("Content-Disposition", "attachment; filename=f.html"),)

# Each runs on /evil and tries to have its text stored as that of /other.
CLAIMS = {
    "replaceState": "history.replaceState(null, '', '/other')",
    "pushState": "history.pushState(null, '', '/other')",
    "pushState and back": "history.pushState(null, '', '/other'); history.pushState(null, '', '/x'); history.back()",
    "download": "location.href = '/other-download'",
    "no content": "location.href = '/other-204'",
    "frame": "document.body.append(Object.assign(document.createElement('iframe'), {src: '/other'}))",
    "document.open from a frame": """
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.src = '/other';
      frame.onload = () => {
        frame.contentWindow.eval(`const it = parent.document;
          const kept = it.documentElement.outerHTML.replace(/<script[^]*?<.script>/g, '');
          it.open(); it.write(kept); it.close()`);
      }""",
    "named elements": "document.body.insertAdjacentHTML('beforeend', '<img name=URL><form name=baseURI></form>')",
}


def render(renderer: Renderer, url: str) -> tuple[str, str]:
    page = renderer.render(url)
    return page.final_url, page.html


@pytest.mark.parametrize("script", CLAIMS.values(), ids=CLAIMS.keys())
def test_a_page_cannot_take_the_address_of_another(renderer: Renderer, fixture_site: Site, script: str) -> None:
    fixture_site.page("/other", article("The real one"))
    fixture_site.page("/other-download", article("The real one"), headers=ATTACHMENT)
    fixture_site.page("/other-204", status=204)
    url = fixture_site.page("/evil", article("Not the real one", extra=f"<script>{script}</script>"))
    final_url, html = render(renderer, url)
    assert "Not the real one" in html
    assert final_url == url


# Replaces the document with one that no site sent.
MADE_UP = {
    "blob": """const text = document.documentElement.outerHTML.replace(/<script[^]*?<.script>/g, '');
      location.href = URL.createObjectURL(new Blob([text], {type: 'text/html'}))""",
    "about:blank": "location.href = 'about:blank'",
}


@pytest.mark.parametrize("script", MADE_UP.values(), ids=MADE_UP.keys())
def test_a_document_that_no_site_sent_is_refused(renderer: Renderer, fixture_site: Site, script: str) -> None:
    """It is replaced while it loads: an article that is complete and does not change for 0.3 s would be taken."""
    url = fixture_site.endless_page("/makes-up", article("Made up", extra=f"<script>{script}</script>"))
    with pytest.raises(RenderFailedError, match="no site sent"):
        renderer.render(url)


FORM = """<form method=post enctype=text/plain action={action}><textarea name=text>{text}</textarea></form>
  <script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>"""


def echoing(site: Site, path: str) -> str:
    """As searches, previews and error pages do: the response contains what was sent."""
    return site.stream(path, lambda request: request.wfile.write(article("Echo", extra=request.posted).encode()))


@pytest.mark.parametrize("status", [None, 307, 308])
def test_the_response_to_a_form_is_refused(renderer: Renderer, fixture_site: Site, status: int | None) -> None:
    target = echoing(fixture_site, "/search")
    if status:
        target = fixture_site.page("/forwards", status=status, headers=(("Location", target),))
    url = fixture_site.page("/sends", FORM.format(action=target, text="Forged by a form"))
    with pytest.raises(RenderFailedError, match="response to a form") as refused:
        renderer.render(url)
    assert fixture_site.seen[-1] == "/search"
    assert (refused.value.code, refused.value.retryable) == ("render_failed", False)
    assert refused.value.final_url is None


def test_a_form_that_leads_to_a_page_shows_that_page(renderer: Renderer, fixture_site: Site) -> None:
    """A redirect that is followed with GET, as after signing in."""
    end = echoing(fixture_site, "/after-the-form")
    fixture_site.page("/takes-a-form", status=303, headers=(("Location", end),))
    url = fixture_site.page("/sends-to-303", FORM.format(action="/takes-a-form", text="Forged by a form"))
    final_url, html = render(renderer, url)
    assert (final_url, "<h1>Echo</h1>" in html, "Forged" in html) == (end, True, False)


def test_a_form_sent_with_get_leads_to_a_page(renderer: Renderer, fixture_site: Site) -> None:
    end = fixture_site.page("/found", article("Found"))
    form = "<form action=/found><input name=q value=a></form><script>document.forms[0].submit()</script>"
    assert render(renderer, fixture_site.page("/asks", form))[0] == end + "?q=a"


def test_a_javascript_address_changes_nothing_about_the_identity(renderer: Renderer, fixture_site: Site) -> None:
    script = "history.replaceState(null, '', '/other'); location.href = `javascript:'<p>Said by an address</p>'`"
    url = fixture_site.page("/javascript", article("First", extra=f"<script>{script}</script>"))
    assert render(renderer, url)[0] == url


def test_a_service_worker_cannot_replace_a_document(renderer: Renderer, fixture_site: Site) -> None:
    fixture_site.page("/app/other", article("The real one"))
    worker = """addEventListener('install', () => skipWaiting());
      addEventListener('activate', event => event.waitUntil(clients.claim()));
      addEventListener('fetch', event => event.respondWith(
        new Response('<title>Forged</title><p>Forged by a worker', {headers: {'Content-Type': 'text/html'}})))"""
    fixture_site.page("/app/worker.js", worker, type="text/javascript")
    script = """<script>(async () => {
      const of = ServiceWorkerContainer.prototype;
      await of.register.call(navigator.serviceWorker, '/app/worker.js');
      await navigator.serviceWorker.ready;
      location.href = '/app/other';
    })().catch(error => document.title = error)</script>"""
    url = fixture_site.page("/app/start", article("Start", extra=script))
    final_url, html = render(renderer, url)
    assert "Forged" not in html
    assert (final_url, "The real one" in html) in [(fixture_site.origin + "/app/other", True), (url, False)]


def test_going_back_shows_the_document_under_its_own_address(renderer: Renderer, fixture_site: Site) -> None:
    """From the back/forward cache or from the network: the URL is that of the document shown."""
    first = """<script>addEventListener('pageshow', () => {
      if (sessionStorage.been) return; sessionStorage.been = 1; setTimeout(() => location.href = '/second', 50) })
      </script>"""
    url = fixture_site.page("/first", article("The first", extra=first))
    back = "<script>history.replaceState(null, '', '/first'); setTimeout(() => history.back(), 100)</script>"
    fixture_site.page("/second", article("The second", extra=back))
    final_url, html = render(renderer, url)
    title = "The first" if final_url == url else "The second"
    assert f"<h1>{title}</h1>" in html


def test_relative_links_are_those_the_browser_would_follow(renderer: Renderer, fixture_site: Site) -> None:
    script = "<script>history.replaceState(null, '', '/deep/er/page')</script><a href=next>next</a>"
    url = fixture_site.page("/moved", article(extra=script))
    page = renderer.render(url)
    assert (page.final_url, page.base_url) == (url, fixture_site.origin + "/deep/er/page")


def test_the_route_is_the_one_that_was_opened(renderer: Renderer, fixture_site: Site) -> None:
    script = "<script>history.replaceState(null, '', '#/home'); location.hash = '#/elsewhere'</script>"
    url = fixture_site.page("/routes", article(extra=script))
    assert renderer.render(url + "#/mine").final_url == url + "#/mine"
    assert renderer.render(url).final_url == url


def test_redirects_keep_the_fragment_as_browsers_do(renderer: Renderer, fixture_site: Site) -> None:
    end = fixture_site.page("/routed", article())
    old = fixture_site.page("/old-app", status=302, headers=(("Location", "/routed"),))
    own = fixture_site.page("/own-route", status=302, headers=(("Location", "/routed#/other"),))
    assert renderer.render(old + "#/one").final_url == end + "#/one"
    assert renderer.render(own + "#/one").final_url == end + "#/other"
    script = fixture_site.page("/by-script-to-route", "<script>location.href = '/routed#/two'</script>")
    assert renderer.render(script).final_url == end + "#/two"
