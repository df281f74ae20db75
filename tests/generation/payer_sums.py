"""What payers have spent, looked up twice: as the running sum, and summed over their attempts."""

from collections import Counter
from decimal import Decimal

from generation.models import PayerSum
from generation.selectors.calls.admission import kinds_of_calls


def assert_sums_are_those_of_the_attempts():
    attempts = Counter()
    for kind in kinds_of_calls():
        for attempt in kind.table_of("attempts").objects.exclude(payer=""):
            attempts[attempt.payer] += int(attempt.highest_price.scaleb(8))
    sums = dict(PayerSum.objects.values_list("payer", "units"))
    assert {payer: units for payer, units in sums.items() if units} == {
        payer: units for payer, units in attempts.items() if units
    }


def spent_by(payer):
    """What a payer has spent and may still have to pay, in US dollars."""
    assert_sums_are_those_of_the_attempts()
    row = PayerSum.objects.filter(payer=payer).first()
    return Decimal(row.units).scaleb(-8) if row else Decimal(0)
