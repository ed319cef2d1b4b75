"""Quality and speed of extraction, as JSON.

    python -m bench.extract --corpus PAGES.jsonl.xz [PREDICTIONS.json ...] [--shipped] [--speed N]

PREDICTIONS are {id: text} files, such as the out-of-fold texts that bench.train_blocks writes: those are the
figures to quote. --shipped scores the packaged model on the corpus it was trained on, which only shows that
the whole path (charset, blocks, model, structure, sanitizing, text, verdict) loses nothing against them. --speed
times N pages one by one against trafilatura on the same pages in the same run, then all cores at once.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from multiprocessing import Pool
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded, as in the children of the text pool

import trafilatura

from bench.corpus import Sample, load_corpus, score_by_kind
from nexus.text.read_page import read_page


def ours(sample: Sample) -> str:
    data = sample.html.encode("utf-8", "replace")
    return read_page(data, content_type="text/html; charset=utf-8", url=sample.url or None).text


def theirs(sample: Sample) -> str:
    return (
        trafilatura.extract(sample.html.encode("utf-8", "replace"), url=sample.url or None, include_comments=False)
        or ""
    )


def _milliseconds(run: Callable[[Sample], str], sample: Sample) -> float:
    started = time.perf_counter()
    run(sample)
    return (time.perf_counter() - started) * 1000


def speed(samples: list[Sample]) -> dict[str, Any]:
    """Turn by turn, so that whatever else the machine does weighs on both alike."""
    for run in (ours, theirs):
        run(samples[0])
    pairs = [(_milliseconds(ours, s), _milliseconds(theirs, s)) for s in samples]
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    rates = {}
    for processes in (1, os.cpu_count() or 1):
        with Pool(processes) as pool:
            pool.map(ours, samples[:processes])
            started = time.perf_counter()
            pool.map(ours, samples, chunksize=4)
            rates[str(processes)] = round(len(samples) / (time.perf_counter() - started), 1)
    return {
        "pages": len(samples),
        "nexus_median_ms": round(mine, 1),
        "trafilatura_median_ms": round(other, 1),
        "ratio": round(mine / other, 2),
        "pages_per_second_by_processes": rates,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", nargs="*", type=Path)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--speed", type=int, default=0, metavar="PAGES")
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--trafilatura", action="store_true")
    arguments = parser.parse_args()
    samples = load_corpus(arguments.corpus)
    report: dict[str, Any] = {}
    for path in arguments.predictions:
        texts = json.loads(path.read_text(encoding="utf-8"))
        report[path.stem] = score_by_kind(samples, (texts.get(s.id, "") for s in samples))
    for name, run in (("shipped", ours), ("trafilatura", theirs)):
        if getattr(arguments, name):
            with Pool() as pool:
                report[name] = score_by_kind(samples, pool.map(run, samples, chunksize=8))
    if arguments.speed:
        report["speed"] = speed(samples[:: max(1, len(samples) // arguments.speed)][: arguments.speed])
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
