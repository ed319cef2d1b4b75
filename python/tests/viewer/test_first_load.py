from bench.viewer import first_load


def test_the_first_load_is_at_most_200_kilobytes() -> None:
    assert 20_000 < first_load() <= 200_000
