"""Add what payers have spent on agents to their sums."""

from django.db import migrations

ADD = """
INSERT INTO generation_payersum (payer, units)
SELECT payer, SUM(CAST(ROUND(COALESCE(price, reserved_price) * 100000000) AS BIGINT))
FROM benchmarks_agentattempt
WHERE payer <> '' AND NOT is_free AND COALESCE(price, reserved_price) IS NOT NULL
GROUP BY payer
ON CONFLICT (payer) DO UPDATE SET units = generation_payersum.units + EXCLUDED.units
"""
# What is left is what generation filled in.
SUBTRACT = """
UPDATE generation_payersum SET units = units - (
    SELECT COALESCE(SUM(CAST(ROUND(COALESCE(price, reserved_price) * 100000000) AS BIGINT)), 0)
    FROM benchmarks_agentattempt
    WHERE benchmarks_agentattempt.payer = generation_payersum.payer AND NOT is_free
)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("benchmarks", "0033_events_without_state"),
        ("generation", "0022_fill_payer_sums"),
    ]

    operations = [migrations.RunSQL(ADD, SUBTRACT)]
