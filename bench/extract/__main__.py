"""Quality and speed of extraction beside other extractors, as JSON: F1 by set and type of page.

    python -m bench.extract --corpus WCXB.jsonl.xz WILD.jsonl.xz [--predictions OOF.json ...] [--speed N] [--out FILE]

PREDICTIONS are {id: text} files, such as the out-of-fold texts that bench.train_blocks writes: those are the figures to
quote for pages the model was trained on. "shipped" is the packaged model on those same pages, which only shows that the
whole path (charset, blocks, model, structure, sanitizing, text, verdict) loses nothing against them. --speed times N
pages one by one against trafilatura on the same pages in the same run, then all cores at once. --texts keeps what the
extractors answered and reads it in the next run, to look at or to save the minutes that they take.
"""

import argparse
import json
import os
import statistics
import time
from multiprocessing import Pool
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded, as in the children of the process pool

from bench.corpus import Sample, Texts, load_corpus, scores_by_set
from bench.extract.extractors import EXTRACTORS, Extractor, shipped, trafilatura_default


def _attempt(task: tuple[str, Sample]) -> str | None:
    name, sample = task
    try:
        return EXTRACTORS[name](sample)
    except Exception:  # noqa: BLE001 a page that an extractor fails on is an empty text, and is counted
        return None


def extract_all(name: str, samples: list[Sample], processes: int) -> Texts:
    """None where the extractor failed."""
    with Pool(processes) as pool:
        found = pool.imap(_attempt, ((name, s) for s in samples), chunksize=8)
        return dict(zip((s.id for s in samples), found, strict=True))


def _kept_or_new(name: str, samples: list[Sample], folder: Path | None, processes: int) -> Texts:
    file = folder / f"{name}.json" if folder else None
    known: Texts = json.loads(file.read_text(encoding="utf-8")) if file and file.exists() else {}
    missing = [s for s in samples if s.id not in known]
    if missing:
        known |= extract_all(name, missing, processes)
    if file and missing:
        file.write_text(json.dumps(known), encoding="utf-8")
    return known


def _milliseconds(run: Extractor, sample: Sample) -> float:
    started = time.perf_counter()
    run(sample)
    return (time.perf_counter() - started) * 1000


def speed(samples: list[Sample]) -> dict[str, Any]:
    """Turn by turn, so that whatever else the machine does weighs on both alike."""
    for run in (shipped, trafilatura_default):
        run(samples[0])
    pairs = [(_milliseconds(shipped, s), _milliseconds(trafilatura_default, s)) for s in samples]
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    rates = {}
    for processes in (1, os.cpu_count() or 1):
        with Pool(processes) as pool:
            pool.map(shipped, samples[:processes])
            started = time.perf_counter()
            pool.map(shipped, samples, chunksize=4)
            rates[str(processes)] = round(len(samples) / (time.perf_counter() - started), 1)
    return {
        "pages": len(samples),
        "nexus_median_ms": round(mine, 1),
        "trafilatura_median_ms": round(other, 1),
        "ratio": round(mine / other, 2),
        "pages_per_second_by_processes": rates,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, nargs="+")
    parser.add_argument("--predictions", type=Path, nargs="*", default=[])
    parser.add_argument("--run", nargs="*", choices=sorted(EXTRACTORS), default=list(EXTRACTORS))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth page")
    parser.add_argument("--speed", type=int, default=0, metavar="PAGES")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--texts", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, help="such as bench/figures/extract.json")
    return parser.parse_args()


def main() -> None:
    arguments = _arguments()
    samples = load_corpus(*arguments.corpus)[:: arguments.every]
    answers: dict[str, Texts] = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in arguments.predictions}
    if arguments.texts:
        arguments.texts.mkdir(parents=True, exist_ok=True)
    for name in arguments.run:
        answers[name] = _kept_or_new(name, samples, arguments.texts, arguments.processes)
    report = scores_by_set(samples, answers)
    if arguments.speed:
        report["speed"] = speed(samples[:: max(1, len(samples) // arguments.speed)][: arguments.speed])
    text = json.dumps(report, indent=1) + "\n"
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
