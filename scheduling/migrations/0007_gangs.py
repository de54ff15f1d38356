"""An attempt is one run of one member: a gang has several at a time, any other job one."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scheduling', '0006_light_moves'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='attempt',
            name='attempt_ordinal_once',
        ),
        migrations.RemoveConstraint(
            model_name='attempt',
            name='one_live_attempt_per_job',
        ),
        migrations.AddField(
            model_name='attempt',
            name='component',
            field=models.CharField(blank=True, db_default='', max_length=80),
        ),
        migrations.AddField(
            model_name='attempt',
            name='member',
            field=models.IntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='attempt',
            name='members',
            field=models.IntegerField(db_default=1, default=1),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(fields=('job', 'ordinal', 'member'), name='attempt_member_once'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['cancelled', 'failed', 'lost', 'preempted', 'succeeded']), _negated=True), fields=('job', 'member'), name='one_live_attempt_per_member'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.CheckConstraint(condition=models.Q(('member__gte', 0), ('member__lt', models.F('members'))), name='attempt_member_is_one_of_all'),
        ),
    ]
