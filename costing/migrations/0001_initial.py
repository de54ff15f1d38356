"""Prices, ledger, how far nodes are booked, and what is due."""

import alldata.kernel.ids
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='NodeBooks',
            fields=[
                ('node', models.CharField(max_length=120, primary_key=True, serialize=False)),
                ('booked_until_ms', models.BigIntegerField(null=True)),
                ('booked_at_ms', models.BigIntegerField(default=0)),
                ('urgent_until_ms', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='PriceBook',
            fields=[
                ('id', models.UUIDField(default=alldata.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('name', models.SlugField(max_length=63, unique=True)),
                ('currency', models.CharField(max_length=3)),
                ('charge_mode', models.CharField(choices=[('consumption', 'Consumption')], default='consumption', max_length=12)),
            ],
        ),
        migrations.CreateModel(
            name='DirtyHour',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('node', models.CharField(max_length=120)),
                ('hour_ms', models.BigIntegerField()),
                ('due_ms', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['due_ms'], name='dirty_hour_due')],
                'constraints': [models.UniqueConstraint(fields=('node', 'hour_ms'), name='dirty_hour_once')],
            },
        ),
        migrations.CreateModel(
            name='PriceVersion',
            fields=[
                ('id', models.UUIDField(default=alldata.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('valid_from_ms', models.BigIntegerField()),
                ('source', models.CharField(max_length=300)),
                ('example', models.BooleanField(default=False)),
                ('bills_proxy', models.BooleanField(default=True)),
                ('created_ms', models.BigIntegerField()),
                ('book', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='costing.pricebook')),
            ],
        ),
        migrations.CreateModel(
            name='PriceRate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('device_type', models.CharField(max_length=20)),
                ('model', models.CharField(blank=True, max_length=120)),
                ('basis', models.CharField(blank=True, max_length=40)),
                ('per_amount', models.BigIntegerField()),
                ('nano_per_hour', models.BigIntegerField()),
                ('weights', models.JSONField()),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rates', to='costing.priceversion')),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.UUIDField(default=alldata.kernel.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('hour_ms', models.BigIntegerField()),
                ('upto_ms', models.BigIntegerField(help_text='how far into the hour usage was known')),
                ('node', models.CharField(max_length=120)),
                ('device', models.CharField(max_length=160)),
                ('dimension', models.CharField(max_length=40)),
                ('bucket', models.CharField(choices=[('used', 'used'), ('allocated_idle', 'allocated_idle'), ('unmetered', 'unmetered'), ('system', 'system'), ('stranded', 'stranded'), ('unavailable', 'unavailable'), ('unallocated_idle', 'unallocated_idle')], max_length=20)),
                ('attempt_id', models.UUIDField(null=True)),
                ('job_id', models.UUIDField(null=True)),
                ('project_id', models.UUIDField(null=True)),
                ('revision', models.IntegerField()),
                ('q', models.DecimalField(decimal_places=0, max_digits=38)),
                ('nano', models.BigIntegerField()),
                ('booked_ms', models.BigIntegerField()),
                ('price_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='costing.priceversion')),
            ],
            options={
                'db_table': 'ledger_entry',
            },
        ),
        migrations.AddConstraint(
            model_name='priceversion',
            constraint=models.UniqueConstraint(fields=('book', 'number'), name='price_version_number_once'),
        ),
        migrations.AddConstraint(
            model_name='priceversion',
            constraint=models.UniqueConstraint(fields=('book', 'valid_from_ms'), name='price_version_one_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='pricerate',
            constraint=models.UniqueConstraint(fields=('version', 'device_type', 'model'), name='price_rate_once'),
        ),
        migrations.AddConstraint(
            model_name='pricerate',
            constraint=models.CheckConstraint(condition=models.Q(('nano_per_hour__gte', 0), ('per_amount__gt', 0)), name='price_rate_not_negative'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['node', 'hour_ms'], name='ledger_by_hour'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(condition=models.Q(('job_id__isnull', False)), fields=['job_id'], name='ledger_by_job'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['project_id', 'hour_ms'], name='ledger_by_project'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.CheckConstraint(condition=models.Q(('hour_ms__gte', 0), ('upto_ms__gt', models.F('hour_ms'))), name='ledger_entry_has_length'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.CheckConstraint(condition=models.Q(('attempt_id', None), models.Q(('job_id__isnull', False), ('project_id__isnull', False)), _connector='OR'), name='ledger_entry_of_attempt_has_owner'),
        ),
    ]
