"""``nexus search WORDS``."""

import json
from typing import Annotated, Any

import typer

from nexus.cli.api_client import opened_server
from nexus.cli.shared_options import Json
from nexus.text.characters import one_line

PAGE_SIZE = 50


def search(
    words: Annotated[list[str], typer.Argument(help='As in the search box: words, "phrases", -word, tag:name …')],
    sort: Annotated[str, typer.Option(help="relevance or newest.")] = "relevance",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of results.")] = 20,
    as_json: Json = False,
) -> None:
    """Search your library through the server at NEXUS_URL, as the user of NEXUS_TOKEN; the best hit first."""
    # The last word is whole, since nobody is typing on.
    params: dict[str, Any] = {"q": " ".join(words) + " ", "sort": sort}
    with opened_server() as api:
        for number, page in enumerate(api.pages("/api/search", params, key="hits", limit=limit, page_size=PAGE_SIZE)):
            if number == 0:
                _print_notes(page, params["q"].strip())
            for hit in page["hits"]:
                _print(hit, as_json=as_json)


def _print_notes(page: dict[str, Any], typed_words: str) -> None:
    """On stderr, so that a script reads hits alone."""
    if not page["hits"]:
        typer.echo(f"No results for {typed_words}", err=True)
    for typed, meant in page["corrected"].items():
        typer.echo(f"Also searched for “{meant}”, the word nearest to “{typed}”.", err=True)
    if page["index"]["state"] == "building":
        index = page["index"]
        typer.echo(f"The search index is being built: {index['done']} of {index['total']} can be found.", err=True)


def _print(hit: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(hit, ensure_ascii=False))
        return
    typer.echo(f"{hit['entry']['media_id']}  {one_line(hit['entry']['title'])}")
    if hit["snippet"]:
        typer.echo("    " + one_line("".join(segment["text"] for segment in hit["snippet"])))
