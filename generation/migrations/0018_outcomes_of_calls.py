from django.db import migrations, models


OUTCOMES = [
    ('answered', 'answered'),
    ('lost', 'lost'),
    ('cancelled', 'cancelled'),
    ('budget_spent', 'budget spent'),
    ('no_price', 'no price'),
    ('not_allowed', 'not allowed'),
    ('timed_out', 'timed out'),
    ('rate_limited', 'rate limited'),
    ('server_failed', 'server failed'),
    ('no_connection', 'no connection'),
    ('wrong_settings', 'wrong settings'),
    ('unfit', 'unfit'),
    ('rejected', 'rejected'),
    ('quota_spent', 'quota spent'),
    ('refused', 'refused'),
    ('empty', 'empty'),
    ('cut_off', 'cut off'),
    ('not_json', 'not json'),
    ('wrong_schema', 'wrong schema'),
    ('malformed', 'malformed'),
    ('unclear', 'unclear'),
    ('job_failed', 'job failed'),
    ('job_timed_out', 'job timed out'),
    ('bad_file', 'bad file'),
    ('file_too_large', 'file too large'),
    ('not_a_video', 'not a video'),
    ('fault', 'fault'),
]

class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0017_carry_payers_and_outcomes_over'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='textattempt',
            name='text_attempt_may_have_cost',
        ),
        migrations.RemoveIndex(
            model_name='textcall',
            name='text_call_price_by_take',
        ),
        migrations.RemoveField(
            model_name='clipattempt',
            name='run_take',
        ),
        migrations.RemoveField(
            model_name='clipcall',
            name='run_take',
        ),
        migrations.RemoveField(
            model_name='textcall',
            name='run_take',
        ),
        migrations.RemoveField(
            model_name='textuse',
            name='run_take',
        ),
        migrations.AlterField(
            model_name='clipattempt',
            name='outcome',
            field=models.CharField(blank=True, choices=OUTCOMES, max_length=16),
        ),
        migrations.AlterField(
            model_name='clipcall',
            name='error_kind',
            field=models.CharField(blank=True, choices=OUTCOMES, max_length=16),
        ),
        migrations.AlterField(
            model_name='textattempt',
            name='outcome',
            field=models.CharField(blank=True, choices=OUTCOMES, max_length=16),
        ),
        migrations.AlterField(
            model_name='textcall',
            name='error_kind',
            field=models.CharField(blank=True, choices=OUTCOMES, max_length=16),
        ),
        migrations.AddIndex(
            model_name='clipattempt',
            index=models.Index(fields=['payer', 'is_free', 'price', 'reserved_price'], name='clipattempt_by_payer'),
        ),
        migrations.AddIndex(
            model_name='clipcall',
            index=models.Index(fields=['payer', 'part', 'status', 'price'], name='clipcall_by_payer'),
        ),
        migrations.AddIndex(
            model_name='textattempt',
            index=models.Index(fields=['payer', 'is_free', 'price', 'reserved_price'], name='textattempt_by_payer'),
        ),
        migrations.AddIndex(
            model_name='textcall',
            index=models.Index(fields=['payer', 'part', 'status', 'price'], name='textcall_by_payer'),
        ),
        migrations.AddConstraint(
            model_name='clipattempt',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['', *(value for value, _ in OUTCOMES)])), name='clipattempt_outcome_known'),
        ),
        migrations.AddConstraint(
            model_name='clipcall',
            constraint=models.CheckConstraint(condition=models.Q(('error_kind__in', ['', *(value for value, _ in OUTCOMES)])), name='clipcall_error_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='runtake',
            constraint=models.CheckConstraint(condition=models.Q(('stop_reason__in', ['', 'budget_spent', 'no_price', 'not_allowed'])), name='run_take_stop_reason_known'),
        ),
        migrations.AddConstraint(
            model_name='textattempt',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['', *(value for value, _ in OUTCOMES)])), name='textattempt_outcome_known'),
        ),
        migrations.AddConstraint(
            model_name='textcall',
            constraint=models.CheckConstraint(condition=models.Q(('error_kind__in', ['', *(value for value, _ in OUTCOMES)])), name='textcall_error_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='textuse',
            constraint=models.UniqueConstraint(fields=('payer', 'part', 'call'), name='textuse_once'),
        ),
        migrations.AddConstraint(
            model_name='clipuse',
            constraint=models.UniqueConstraint(fields=('payer', 'part', 'call'), name='clipuse_once'),
        ),
    ]
