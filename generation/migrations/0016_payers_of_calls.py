import django.db.models.deletion
import generation.backends.text.registry
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0015_who_asks'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClipUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('payer', models.CharField(blank=True, max_length=64)),
                ('part', models.PositiveIntegerField(blank=True, null=True)),
                ('used_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RemoveConstraint(
            model_name='textuse',
            name='text_use_once',
        ),
        migrations.RenameIndex(
            model_name='clipattempt',
            new_name='clipattempt_by_start',
            old_name='clip_attempt_by_start',
        ),
        migrations.RenameIndex(
            model_name='clipattempt',
            new_name='clipattempt_open',
            old_name='clip_attempt_open',
        ),
        migrations.RenameIndex(
            model_name='textattempt',
            new_name='textattempt_by_start',
            old_name='text_attempt_by_start',
        ),
        migrations.RenameIndex(
            model_name='textattempt',
            new_name='textattempt_open',
            old_name='text_attempt_open',
        ),
        migrations.AddField(
            model_name='clipattempt',
            name='asked_by',
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name='clipattempt',
            name='part',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='clipattempt',
            name='payer',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='clipcall',
            name='part',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='clipcall',
            name='payer',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='clipcall',
            name='price',
            field=models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
        ),
        migrations.AddField(
            model_name='runtake',
            name='stop_reason',
            field=models.CharField(blank=True, choices=[('budget_spent', 'Budget spent'), ('no_price', 'No price'), ('not_allowed', 'Not allowed')], max_length=16),
        ),
        migrations.AddField(
            model_name='runtake',
            name='stop_words',
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name='textattempt',
            name='is_free',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='textattempt',
            name='part',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='textattempt',
            name='payer',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='textattempt',
            name='price',
            field=models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
        ),
        migrations.AddField(
            model_name='textattempt',
            name='reason',
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name='textattempt',
            name='resumes',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='textcall',
            name='part',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='textcall',
            name='payer',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='textendpoint',
            name='protocol',
            field=models.CharField(choices=generation.backends.text.registry.protocol_choices, default='openai', max_length=32),
        ),
        migrations.AddField(
            model_name='textuse',
            name='part',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='textuse',
            name='payer',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='clipuse',
            name='call',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='generation.clipcall'),
        ),
        migrations.AlterField(
            model_name='clipattempt',
            name='price',
            field=models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
        ),
        migrations.AlterField(
            model_name='clipattempt',
            name='reserved_price',
            field=models.DecimalField(blank=True, decimal_places=8, max_digits=14, null=True),
        ),
        # So that going back can fill it before it is wanted again.
        migrations.AlterField(
            model_name='textuse',
            name='run_take',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='text_uses', to='generation.runtake'),
        ),
    ]
