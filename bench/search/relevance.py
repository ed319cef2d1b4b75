"""How good the order of results is: python -m bench.search.relevance COLLECTION.json[.xz].

The collection: {"documents": [{"id", "title", "text"}], "queries": [{"id", "text", "relevant": [ids]}]}. Each document
is saved as a paste (title, blank line, text), and each query is sent to GET /api/search.
"""

import argparse
import json
import lzma
import math
import os
import time
from pathlib import Path
from typing import Any

import httpx2

from bench.saves import running_server

FIGURES = Path(__file__).parents[1] / "figures" / "search_relevance.json"


def gain_of(found: list[str], relevant: set[str]) -> float:
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))
    return sum(1 / math.log2(rank + 2) for rank, one in enumerate(found[:10]) if one in relevant) / ideal


def save_all(client: httpx2.Client, documents: list[dict[str, Any]]) -> dict[str, str]:
    """Saves all documents. Returns the document of each item."""
    ids = {}
    for document in documents:
        text = f"{document['title']}\n\n{document['text']}"
        made = client.post("/items", json={"pasted_text": text, "prefer_pasted_text": True}).raise_for_status()
        ids[made.json()["id"]] = str(document["id"])
    return ids


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("collection", type=Path)
    given = options.parse_args()
    packed = given.collection.read_bytes()
    collection = json.loads(lzma.decompress(packed) if given.collection.suffix == ".xz" else packed)
    with running_server() as (client, _):
        ids = save_all(client, collection["documents"])
        while True:
            index = client.get("/api/search", params={"q": "after:1990"}).json()
            if index["index"]["state"] == "ready" and index["total"] == len(ids):
                break
            time.sleep(0.1)
        gain = recall = nothing = 0.0
        for query in collection["queries"]:
            page = client.get("/api/search", params={"q": query["text"], "limit": 20}).raise_for_status().json()
            found = [ids[hit["entry"]["item_id"]] for hit in page["hits"]]
            relevant = set(map(str, query["relevant"]))
            gain += gain_of(found, relevant)
            recall += len(relevant & set(found)) / len(relevant)
            nothing += not found
    count = len(collection["queries"])
    figures = {
        "collection": given.collection.name,
        "documents": len(ids),
        "queries": count,
        "nDCG@10": round(gain / count, 4),
        "recall@20": round(recall / count, 4),
        "nothing found": int(nothing),
        "load average": [round(load, 1) for load in os.getloadavg()],
    }
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
