"""Reads YAML strictly: what is ambiguous or too expensive is an error that names its line."""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.scanner import Scanner

from nexus.errors import YamlDocumentError
from nexus.system.error_text import first_line

MAX_CHARS = 262_144
MAX_NODES = 10_000
MAX_BRACKETS = 50
MERGE_TAG = "tag:yaml.org,2002:merge"


class _BoundedScanner(Scanner):
    """3 000 opening brackets keep the scanner busy for half a minute: each token checks every open one."""

    def fetch_flow_collection_start(self, TokenClass: Any, to_push: str) -> None:  # noqa: N803 - the name in the base class
        if len(self.flow_context) >= MAX_BRACKETS:
            raise MarkedYAMLError(problem="brackets are nested too deeply", problem_mark=self.reader.get_mark())
        super().fetch_flow_collection_start(TokenClass, to_push)


class _BoundedComposer(Composer):
    """No aliases: 377 bytes of them expand to millions of nodes. And a limit on nodes: each takes 50 microseconds.

    The scanner reads only as far as the composer requests, so what follows the last accepted node costs nothing.
    """

    max_nodes = MAX_NODES
    nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.nodes += 1
        if self.nodes > self.max_nodes:
            problem = f"more than {self.max_nodes:,} keys and values are not accepted"
            raise MarkedYAMLError(problem=problem, problem_mark=self.parser.peek_event().start_mark)
        if self.parser.check_event(AliasEvent):
            mark = self.parser.peek_event().start_mark
            raise MarkedYAMLError(problem="aliases (*name) are not accepted", problem_mark=mark)
        return super().compose_node(parent, index)


class _ConstructorWithoutMerges(SafeConstructor):
    """A merge key could add keys that a check of the written ones misses."""

    def flatten_mapping(self, node: Any) -> Any:
        for key, _ in node.value:
            if str(key.tag) == MERGE_TAG or key.value == "<<":
                raise MarkedYAMLError(problem="merge keys (<<) are not accepted", problem_mark=key.start_mark)
        return super().flatten_mapping(node)


def read_yaml(text: str, *, name: str, max_chars: int = MAX_CHARS, max_nodes: int = MAX_NODES) -> Any:
    """Plain values; an empty document is None. Duplicate keys, aliases and merge keys are errors."""
    if len(text) > max_chars:
        raise YamlDocumentError(f"{name} is longer than {max_chars:,} characters.")
    loader = YAML(typ="safe", pure=True)
    loader.Scanner = _BoundedScanner

    class Bounded(_BoundedComposer):
        pass

    Bounded.max_nodes = max_nodes
    loader.Composer = Bounded
    loader.Constructor = _ConstructorWithoutMerges
    try:
        return loader.load(text)
    except MarkedYAMLError as error:
        raise _located(error, name) from None
    except (YAMLError, ValueError, OverflowError) as error:
        raise YamlDocumentError(f"{name} is not valid YAML: {first_line(error).rstrip('.')}.") from None
    except RecursionError:
        raise YamlDocumentError(f"{name} is nested too deeply.") from None


def read_yaml_mapping(text: str, *, name: str, max_chars: int = MAX_CHARS) -> dict[str, Any]:
    document = read_yaml(text, name=name, max_chars=max_chars)
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise YamlDocumentError(f"{name} must hold 'key: value' lines at its top, not a {type(document).__name__}.")
    for key in document:
        if not isinstance(key, str):
            raise YamlDocumentError(f"{name}: the key {key!r} is not text; put it in quotes.")
    return document


def _located(error: MarkedYAMLError, name: str) -> YamlDocumentError:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else None
    where = f"{name}, line {line}" if line else name
    # The message about a duplicate key continues with both values, which may be secrets.
    problem = (error.problem or error.context or "this is not valid YAML").partition(" with value")[0]
    return YamlDocumentError(f"{where}: {problem}.", line=line)
