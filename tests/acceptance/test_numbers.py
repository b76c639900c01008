"""Every number of the acceptance list has a test; ``make acceptance`` runs them."""

from __future__ import annotations

import pytest

from scripts.acceptance import apart_in, code, find_proofs, read_numbers
from scripts.live_path import Apart, read_apart


def test_every_number_is_named_by_a_test() -> None:
    proofs = find_proofs()
    assert [number for number in read_numbers() if number not in proofs] == []


def test_the_list_is_whole() -> None:
    counts = {"S1": 54, "S2": 55, "S3": 35, "S4": 29, "S5": 47}
    expected = [f"{seed}.{n}" for seed, last in counts.items() for n in range(1, last + 1)]
    assert list(read_numbers()) == expected


def test_functions_that_the_product_does_not_run_are_listed() -> None:
    proofs = [proof for found in find_proofs().values() for proof in found]
    apart = {name for proof in proofs for name in apart_in(proof)}
    assert {name for name in apart if name.rpartition(".")[2].islower()} == read_apart().keys()


@pytest.mark.parametrize("function", read_apart().values(), ids=lambda line: line.function)
def test_what_is_kept_apart_shares_its_code_with_the_product(function: Apart) -> None:
    assert function.function in code().unused
    if function.shared != "-":  # else the seeds' words are kept, and nothing below them
        assert function.shared in code().product
        assert code().shares(function.function, function.shared)
