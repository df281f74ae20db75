# Rounds and plans that there are keep the words that their raters read; new ones begin with arrows.

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0039_figures_of_raters'),
    ]

    operations = [
        migrations.AddField(
            model_name='analysisplan',
            name='step_words',
            field=models.CharField(default='words', max_length=12),
        ),
        migrations.AddField(
            model_name='ratinground',
            name='step_words',
            field=models.CharField(default='words', max_length=12),
        ),
        migrations.AlterField(
            model_name='analysisplan',
            name='step_words',
            field=models.CharField(default='arrows', max_length=12),
        ),
        migrations.AlterField(
            model_name='ratinground',
            name='step_words',
            field=models.CharField(default='arrows', max_length=12),
        ),
        migrations.AddConstraint(
            model_name='analysisplan',
            constraint=models.CheckConstraint(condition=models.Q(('step_words__in', ['arrows', 'words', 'elsewhere'])), name='plan_step_words_known'),
        ),
        migrations.AddConstraint(
            model_name='ratinground',
            constraint=models.CheckConstraint(condition=models.Q(('step_words__in', ['arrows', 'words', 'elsewhere'])), name='rating_round_step_words_known'),
        ),
    ]
