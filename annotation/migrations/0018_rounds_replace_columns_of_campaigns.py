"""Assignments belong to rounds, and answers to versions of the guideline, alone."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_campaigns_become_rounds'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='assignment',
            options={'ordering': ['round', 'rater', 'position']},
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_trace_once_per_rater',
        ),
        migrations.RemoveConstraint(
            model_name='campaign',
            name='campaign_overlap_positive',
        ),
        migrations.RemoveConstraint(
            model_name='campaign',
            name='campaign_phase_known',
        ),
        migrations.RemoveIndex(
            model_name='assignment',
            name='assignment_queue',
        ),
        migrations.RemoveField(
            model_name='assignment',
            name='campaign',
        ),
        migrations.RemoveField(
            model_name='campaign',
            name='closed_at',
        ),
        migrations.RemoveField(
            model_name='campaign',
            name='guideline_version',
        ),
        migrations.RemoveField(
            model_name='campaign',
            name='overlap',
        ),
        migrations.RemoveField(
            model_name='campaign',
            name='phase',
        ),
        migrations.RemoveField(
            model_name='campaign',
            name='rubric_version',
        ),
        migrations.RemoveField(
            model_name='campaign',
            name='seed',
        ),
        migrations.RemoveField(
            model_name='rating',
            name='guideline_version',
        ),
        migrations.RemoveField(
            model_name='ratingevent',
            name='guideline_version',
        ),
        migrations.AlterField(
            model_name='assignment',
            name='round',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.round'),
        ),
        migrations.AddIndex(
            model_name='assignment',
            index=models.Index(fields=['rater', 'round', 'position'], name='assignment_queue'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('round', 'rater', 'trace', 'purpose'), name='assignment_trace_once_per_rater'),
        ),
        migrations.AddConstraint(
            model_name='campaign',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'pilot', 'discussion', 'frozen', 'main', 'closed', 'released'])), name='campaign_state_known'),
        ),
        migrations.AddConstraint(
            model_name='guidelineversion',
            constraint=models.UniqueConstraint(fields=('campaign', 'kind', 'number'), name='guideline_number_once'),
        ),
        migrations.AddConstraint(
            model_name='guidelineversion',
            constraint=models.UniqueConstraint(fields=('campaign', 'kind', 'name'), name='guideline_name_once'),
        ),
        migrations.AddConstraint(
            model_name='guidelineversion',
            constraint=models.CheckConstraint(condition=models.Q(('content_hash', ''), ('frozen_at__isnull', False), _connector='OR'), name='guideline_hash_when_frozen'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('campaign', 'number'), name='round_number_once'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('overlap__gte', 1)), name='round_overlap_positive'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('phase__in', ['training', 'pilot', 'main'])), name='round_phase_known'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.CheckConstraint(condition=models.Q(('closed_at__isnull', True), ('opened_at__isnull', False), _connector='OR'), name='round_closed_after_opened'),
        ),
        migrations.AddConstraint(
            model_name='roundrater',
            constraint=models.UniqueConstraint(fields=('round', 'rater'), name='round_rater_once'),
        ),
    ]
