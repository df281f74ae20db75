from django.db import migrations, models

KINDS = [
    ("endpoint", "Model"),
    ("agent", "Agent"),
    ("trained", "Trained model"),
    ("file", "File"),
    ("person", "Person"),
    ("review", "People in a review"),
    ("baseline", "Baseline"),
]


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0025_reviews_of_sets")]

    operations = [
        migrations.RemoveConstraint(model_name="assessment", name="assessment_kind_known"),
        migrations.AlterField(
            model_name="assessment",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=12),
        ),
        migrations.AddConstraint(
            model_name="assessment",
            constraint=models.CheckConstraint(
                condition=models.Q(kind__in=[name for name, _ in KINDS]),
                name="assessment_kind_known",
            ),
        ),
    ]
