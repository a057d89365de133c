from benchmarks.memory import peak_bytes


def test_the_peak_is_a_plausible_number_of_bytes_and_never_falls() -> None:
    first = peak_bytes()
    assert 10**6 < first < 10**12
    assert peak_bytes() >= first
