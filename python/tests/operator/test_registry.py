"""The journal under what really happens to files: torn lines, garbage, two writers, a full disk, kill -9."""

import json
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from nexus.errors import CorpusWriteError, DiskFullError, NotFoundError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs import registry as registry_module
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.job_outcome import inspect_job
from nexus.operator.jobs.records import Job, ScheduleMark, now
from nexus.operator.jobs.registry import JobRegistry
from tests.operator.scripts import QueueHarness, exits_with
from tests.processes import eventually


def make(registry: JobRegistry, **values: object) -> Job:
    with registry.locked() as writer:
        job = Job.model_validate(
            {"job_id": str(uuid4()), "seq": writer.next_seq(), "status": "queued", "created_at": now(),
             "argv_summary": '["true"]'} | values
        )  # fmt: skip
        return writer.put(job)


def fresh(registry: JobRegistry) -> JobRegistry:
    """As a process sees it that has read nothing yet."""
    return JobRegistry(registry.corpus)


@pytest.fixture
def registry(tmp_path: Path) -> JobRegistry:
    return JobRegistry(CorpusDirectory(tmp_path))


def test_last_line_of_a_job_counts(registry: JobRegistry) -> None:
    job = make(registry)
    with registry.locked() as writer:
        writer.put(job.changed(status="running"))
    for seen in (registry, fresh(registry)):
        assert [found.status for found in seen.jobs()] == ["running"]
    assert len(registry.corpus.journal.path.read_bytes().splitlines()) == 3


def test_every_line_is_a_whole_record_and_only_its_owner_may_read_it(registry: JobRegistry) -> None:
    make(registry)
    lines = registry.corpus.journal.path.read_text().splitlines()
    assert json.loads(lines[1])["argv_summary"] == '["true"]'
    assert registry.corpus.journal.path.stat().st_mode & 0o777 == 0o600


def test_torn_last_line_costs_only_itself(registry: JobRegistry) -> None:
    first = make(registry)
    with registry.corpus.journal.path.open("ab") as file:
        file.write(b'{"job_id":"half')
    assert [job.job_id for job in fresh(registry).jobs()] == [first.job_id]
    second = make(registry)
    for seen in (registry, fresh(registry)):
        assert [job.job_id for job in seen.jobs()] == [first.job_id, second.job_id]
        assert seen.bad_lines == 1


def test_line_that_lacks_only_its_newline_was_never_acknowledged(registry: JobRegistry) -> None:
    """A write cut there was answered with an error: the job must not come to life when the next one is written."""
    make(registry)
    refused = Job(job_id=str(uuid4()), seq=99, status="queued", created_at=now())
    with registry.corpus.journal.path.open("ab") as file:
        file.write(refused.line())
    make(registry)
    assert refused.job_id not in {job.job_id for job in fresh(registry).jobs()}


def test_garbage_is_skipped_and_counted(registry: JobRegistry) -> None:
    first = make(registry)
    with registry.corpus.journal.path.open("ab") as file:
        file.write(b"\x00\xff garbage\n{}\n[1]\n" + b'{"job_id": 7}\n')
    second = make(registry)
    assert [job.job_id for job in fresh(registry).jobs()] == [first.job_id, second.job_id]
    assert fresh(registry).bad_lines == 4


def test_compaction_keeps_every_job_and_mark_in_order(registry: JobRegistry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "COMPACTION_SLACK", 10)
    other = fresh(registry)
    jobs = [make(registry) for _ in range(5)]
    with registry.locked() as writer:
        writer.mark(ScheduleMark(schedule_mark="nightly", expression="x", served_until=now()))
        writer.remove(jobs[2].job_id)
        for _ in range(40):
            writer.put(jobs[0].changed(status="running"))
    assert len(registry.corpus.journal.path.read_bytes().splitlines()) < 25
    for seen in (registry, other, fresh(registry)):
        assert [job.seq for job in seen.jobs()] == [1, 2, 4, 5]
        assert [job.status for job in seen.jobs()] == ["running", "queued", "queued", "queued"]
        assert set(seen.marks()) == {"nightly"}
        with pytest.raises(NotFoundError):
            seen.job(jobs[2].job_id)
    assert make(registry).seq == 6


def test_reader_notices_that_the_file_was_replaced(registry: JobRegistry) -> None:
    make(registry)
    reader = fresh(registry)
    assert len(reader.jobs()) == 1
    (registry.corpus.root / "other").mkdir()
    replaced = JobRegistry(CorpusDirectory(registry.corpus.root / "other"))
    for _ in range(3):
        make(replaced)
    replaced.corpus.journal.path.replace(registry.corpus.journal.path)
    assert len(reader.jobs()) == 3
    registry.corpus.journal.path.unlink()
    assert reader.jobs() == []


WRITER = """
import sys
from pathlib import Path
from uuid import uuid4
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.records import Job, now
from nexus.operator.jobs.registry import JobRegistry

registry = JobRegistry(CorpusDirectory(Path(sys.argv[1])))
for number in range(int(sys.argv[2])):
    with registry.locked() as writer:
        name = str(uuid4())
        writer.put(Job(job_id=name, seq=writer.next_seq(), status="queued", created_at=now()))
    print(name, flush=True)
"""


def writer(root: Path, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(root), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_writers_in_several_processes_lose_nothing(registry: JobRegistry) -> None:
    writers = [writer(registry.corpus.root, 60) for _ in range(3)]
    written = {line for process in writers for line in process.communicate()[0].split()}
    jobs = fresh(registry).jobs()
    assert {job.job_id for job in jobs} == written
    assert sorted(job.seq for job in jobs) == list(range(1, 181))
    assert fresh(registry).bad_lines == 0


def test_what_was_acknowledged_survives_kill_9(registry: JobRegistry) -> None:
    acknowledged: set[str] = set()
    for attempt in range(3):
        process = writer(registry.corpus.root, 100_000)
        assert process.stdout
        for _ in range(5 + 17 * attempt):
            acknowledged.add(process.stdout.readline().strip())
        process.kill()
        acknowledged.update(line.strip() for line in process.stdout if line.endswith("\n"))
        process.wait()
        process.stdout.close()
    found = {job.job_id for job in fresh(registry).jobs()}
    assert acknowledged <= found
    assert make(registry).job_id in {job.job_id for job in fresh(registry).jobs()}


@contextmanager
def no_room_beyond(size: int) -> Iterator[None]:
    """The kernel refuses to let any file of this process grow beyond this: a full disk, in the middle of a write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)


@pytest.mark.parametrize("room", [0, 1, 30, 100])
def test_full_disk_refuses_the_job_and_keeps_the_others(harness: QueueHarness, room: int) -> None:
    harness.queue.pause()
    first = harness.enqueue(exits_with(0))
    journal = harness.queue.corpus.journal.path
    with no_room_beyond(journal.stat().st_size + room), pytest.raises(DiskFullError, match="no room on the disk"):
        harness.enqueue(exits_with(0))
    assert [job.job_id for job in harness.restart().registry.jobs()] == [first.job_id]
    second = harness.enqueue(exits_with(0))
    assert [job.job_id for job in harness.restart().registry.jobs()] == [first.job_id, second.job_id]
    harness.queue.resume()
    assert harness.ends(second).status == "succeeded"


def test_outcome_that_cannot_be_recorded_yet_is_recorded_later(harness: QueueHarness) -> None:
    job = harness.enqueue(exits_with(4))
    files = JobFiles(harness.queue.corpus.job_dir(job.job_id))
    eventually(lambda: inspect_job(files) == "ended", "it did not end")
    with no_room_beyond(harness.queue.corpus.journal.path.stat().st_size), pytest.raises(DiskFullError):
        harness.queue.sweep()
    assert harness.job(job.job_id).status == "running"
    assert harness.ends(job).error_reason == "exit_code_4"


def test_registry_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / ".viewer").write_text("not a directory")
    with pytest.raises(CorpusWriteError, match="Cannot write below"):
        make(JobRegistry(CorpusDirectory(tmp_path)))
    assert (tmp_path / ".viewer").read_text() == "not a directory"
