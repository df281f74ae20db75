# Stored notes say what raters saw in the words that new ones have. The page names the metric before
# them, which a while ago they did once more.

from django.db import migrations

WORDS = (
    (
        "raters saw changes as empty cells and arrows",
        "raters saw empty cells and arrows for changed steps",
    ),
    (
        "raters read words such as “step missing” beside the steps",
        "raters read words such as “step missing” beside changed steps",
    ),
    (
        "answers were imported, and what raters saw is not recorded",
        "answers were imported; what raters saw of changed steps is not recorded",
    ),
)


def in_new_words(note):
    for opening in ("Of changes, ", "Taxonomy Fit: "):
        if opening in note:
            before, _, rest = note.partition(opening)
            for old, new in WORDS:
                rest = rest.replace(old, new)
            return f"{before}{rest[:1].upper()}{rest[1:]}"
    return note


def renew_notes(apps, schema_editor):
    Figures = apps.get_model("annotation", "AgreementFigures")
    for figures in Figures.objects.only("rows").iterator():
        for row in figures.rows:
            row["beside"]["note"] = in_new_words(row["beside"]["note"])
        figures.save(update_fields=["rows"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0053_words_of_likely_answers")]

    operations = [migrations.RunPython(renew_notes, migrations.RunPython.noop)]
