"""A text whose page is reloaded while it is being sent is in the library once."""

from uuid import UUID

from playwright.sync_api import Response, Route, expect

from tests.viewer.rows import outgoing, save, saved
from tests.viewer.watching import WatchedPage


def is_save(answer: Response) -> bool:
    return answer.url.endswith("/items") and answer.request.method == "POST"


def test_a_pasted_text_in_flight_when_the_page_is_reloaded(watch: WatchedPage, user: UUID) -> None:
    page = watch.open()
    lost: list[int] = []

    def lose_the_answer(route: Route) -> None:
        if not lost:
            lost.append(route.fetch().status)  # the server has it
            route.abort()
        else:
            route.continue_()

    page.route("**/items", lose_the_answer)
    save(page, "A text that is told from a link.\n\nAnd a second line.")
    expect(outgoing(page, "Waiting for a connection")).to_contain_text("A text that is told from a link")
    assert lost == [200]
    with page.expect_response(is_save) as sent:
        page.reload()
    assert sent.value.status == 200
    expect(saved(page, "A text that is told from a link")).to_have_count(1)
    items = page.request.get(f"{watch.url}/items", headers={"X-User-Id": str(user)})
    assert len(items.json()["items"]) == 1
