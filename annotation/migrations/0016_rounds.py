"""Rounds and versions of the guideline, empty as yet; what campaigns held moves there next."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import annotation.models.corpus


class Migration(migrations.Migration):
    dependencies = [("annotation", "0015_types_of_events_are_open")]

    operations = [
        migrations.CreateModel(
            name="GuidelineVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.CharField(default=annotation.models.corpus.new_public_id, editable=False, max_length=16, unique=True)),
                ("kind", models.CharField(choices=[("ratings", "Ratings")], default="ratings", max_length=12)),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=32)),
                ("text", models.JSONField(blank=True, default=dict)),
                ("examples", models.JSONField(blank=True, default=list)),
                ("changes", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("frozen_at", models.DateTimeField(blank=True, null=True)),
                ("content_hash", models.CharField(blank=True, max_length=64)),
                ("author", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("campaign", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="guideline_versions", to="annotation.campaign")),
                ("parent", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="children", to="annotation.guidelineversion")),
            ],
            options={"ordering": ["campaign", "kind", "number"]},
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.CharField(default=annotation.models.corpus.new_public_id, editable=False, max_length=16, unique=True)),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(choices=[("ratings", "Ratings")], default="ratings", max_length=12)),
                ("phase", models.CharField(choices=[("training", "Training"), ("pilot", "Pilot"), ("main", "Main")], default="main", max_length=8)),
                ("overlap", models.PositiveSmallIntegerField(default=3)),
                ("seed", models.PositiveBigIntegerField(default=0)),
                ("stop_rule", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("campaign", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="rounds", to="annotation.campaign")),
                ("guideline", models.ForeignKey(on_delete=django.db.models.deletion.RESTRICT, related_name="rounds", to="annotation.guidelineversion")),
            ],
            options={"ordering": ["campaign", "number"]},
        ),
        migrations.CreateModel(
            name="RatingRound",
            fields=[
                ("round", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="ratings", serialize=False, to="annotation.round")),
                ("rubric_version", models.CharField(max_length=16)),
                ("has_all_traces", models.BooleanField(default=True)),
                ("traces", models.ManyToManyField(blank=True, related_name="rating_rounds", to="annotation.trace")),
            ],
        ),
        migrations.CreateModel(
            name="RoundRater",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("rater", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="round_memberships", to=settings.AUTH_USER_MODEL)),
                ("round", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="raters", to="annotation.round")),
            ],
            options={"ordering": ["round", "joined_at", "pk"]},
        ),
        migrations.AddField(
            model_name="campaign",
            name="state",
            field=models.CharField(
                choices=[("draft", "Draft"), ("pilot", "Pilot"), ("discussion", "Discussion"), ("frozen", "Frozen"), ("main", "Main"), ("closed", "Closed"), ("released", "Released")],
                default="draft", max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="purpose",
            field=models.CharField(choices=[("ordinary", "Ordinary"), ("gold", "Gold"), ("repeat", "Repeat")], default="ordinary", max_length=8),
        ),
        migrations.AddField(
            model_name="assignment",
            name="round",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="annotation.round"),
        ),
        *(
            migrations.AddField(
                model_name=model,
                name="guideline",
                field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="annotation.guidelineversion"),
            )
            for model in ("rating", "ratingevent")
        ),
        migrations.AlterField(
            model_name="rating", name="rated_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AlterField(
            model_name="ratingevent", name="rated_at", field=models.DateTimeField(blank=True, null=True)
        ),
        # So that going back finds something to put into the columns.
        migrations.AlterField(
            model_name="assignment",
            name="campaign",
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="assignments", to="annotation.campaign"),
        ),
        *(
            migrations.AlterField(
                model_name=model, name=name, field=models.CharField(default="", max_length=32)
            )
            for model, name in (("campaign", "rubric_version"), ("rating", "guideline_version"), ("ratingevent", "guideline_version"))
        ),
    ]
