"""Every number of the acceptance list has a test; ``make acceptance`` runs them."""

from __future__ import annotations

from scripts.acceptance import find_proofs, read_numbers, what_is_wrong
from scripts.live_path import LivePath


def test_every_number_is_named_by_a_test() -> None:
    proofs = find_proofs()
    assert [number for number in read_numbers() if number not in proofs] == []


def test_the_list_is_whole() -> None:
    counts = {"S1": 54, "S2": 55, "S3": 35, "S4": 29, "S5": 47}
    expected = [f"{seed}.{n}" for seed, last in counts.items() for n in range(1, last + 1)]
    assert list(read_numbers()) == expected


def test_what_the_product_does_not_call_shares_what_is_below() -> None:
    assert what_is_wrong(LivePath(), find_proofs()) == []
