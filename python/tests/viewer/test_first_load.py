from bench.viewer import first_load

MAX_BYTES = 113_000  # as docs/explanation/dependencies.md says


def test_the_first_load_is_as_small_as_the_documentation_says() -> None:
    assert 20_000 < first_load() <= MAX_BYTES
