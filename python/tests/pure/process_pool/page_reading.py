"""The whole path of a page, as one function a child process can import."""

import numpy as np
import psutil

from nexus.text.canonical_text import canonicalize
from nexus.text.page_verdict import page_verdict
from nexus.text.sanitize import sanitize_html

BASE = "https://site.example/"


def read_page(html: str) -> tuple[str, str]:
    text = canonicalize(sanitize_html(html, BASE))
    return text, page_verdict(html, text=text, url=BASE).outcome


def threads_that_multiply() -> int:
    """How many threads there are once the block model's matrices are multiplied."""
    square = np.ones((500, 500))
    return psutil.Process().num_threads() if (square @ square).all() else 0
