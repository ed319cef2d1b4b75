from nexus.text.storable import storable, storable_start


def test_drops_nul_and_replaces_lone_surrogates() -> None:
    assert storable("a\0b\ud800c\udfff \U0001f600") == "ab\ufffdc\ufffd \U0001f600"
    assert storable("plain").encode() == b"plain"


def test_start_is_cut_after_cleaning() -> None:
    assert storable_start("\0\0abcdef", 3) == "abc"
    assert storable_start(None, 3) is None
