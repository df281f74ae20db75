"""Sum what payers have spent on texts and clips; above, other apps add their calls."""

from django.db import migrations

# A price has eight decimals, which SQLite keeps as a float.
ADD = """
INSERT INTO generation_payersum (payer, units)
SELECT payer, SUM(CAST(ROUND(COALESCE(price, reserved_price) * 100000000) AS BIGINT))
FROM generation_{table}
WHERE payer <> '' AND NOT is_free AND COALESCE(price, reserved_price) IS NOT NULL
GROUP BY payer
ON CONFLICT (payer) DO UPDATE SET units = generation_payersum.units + EXCLUDED.units
"""


class Migration(migrations.Migration):
    dependencies = [("generation", "0021_payer_sums")]

    operations = [
        migrations.RunSQL(ADD.format(table="textattempt"), "DELETE FROM generation_payersum"),
        migrations.RunSQL(ADD.format(table="clipattempt"), migrations.RunSQL.noop),
    ]
