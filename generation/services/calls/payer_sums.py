"""What each payer has spent, as a running sum: summing all its calls takes longer with each."""

from decimal import Decimal

from django.db import connection

from generation.models import PayerSum

# A price has so many decimals (`Attempt.price`).
DECIMALS = 8
UNIT = Decimal(1).scaleb(-DECIMALS)
TABLE = PayerSum._meta.db_table
# Only the name of our own table is put in.
ADD_SQL = f"""
INSERT INTO {TABLE} (payer, units) VALUES (%s, %s)
ON CONFLICT (payer) DO UPDATE SET units = {TABLE}.units + EXCLUDED.units RETURNING units
"""  # noqa: S608


def as_stored(price: Decimal | None) -> Decimal | None:
    """A price rounded as it is stored: each database would round in its own way."""
    return None if price is None else price.quantize(UNIT)


def add_to_sum(payer: str, amount: Decimal) -> Decimal:
    """Change what a payer has spent and may have to pay, and return it, in US dollars.

    Call it in the transaction that writes the amount: it locks the sum, so nobody else spends from
    the same budget, at any endpoint, until that transaction ends.
    """
    with connection.cursor() as cursor:
        cursor.execute(ADD_SQL, [payer, int(amount.scaleb(DECIMALS))])
        units = cursor.fetchone()[0]
    return Decimal(units).scaleb(-DECIMALS)
