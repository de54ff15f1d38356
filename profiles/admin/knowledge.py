"""The console's view of the knowledge base: add parts or overrides as a document, withdraw, end."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from alldata.kernel import clock
from alldata.kernel.errors import AllDataError
from profiles.admin.versions import located, viewer_of
from profiles.errors import InvalidDocument
from profiles.models import HardwareKnowledge, HardwareModel, HardwareOverride
from profiles.services.knowledge import add_knowledge, check_knowledge, end_override, withdraw_knowledge

AREA = forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "font-mono w-full"})


class UploadForm(forms.ModelForm):  # type: ignore[type-arg]
    """One document: `parts` with their facts, or `hardware_knowledge_base.override`."""

    class Meta:
        model = HardwareKnowledge
        fields = ["text", "note"]
        widgets = {"text": AREA}

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        try:
            check_knowledge(text)
        except InvalidDocument as refusal:
            raise forms.ValidationError([located(problem) for problem in refusal.problems]) from None
        return text


class _Unchangeable(ModelAdmin):  # type: ignore[misc]
    """Rows are seen here, never edited or deleted: what was said stays said."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(HardwareKnowledge)
class KnowledgeAdmin(_Unchangeable):
    """Uploads, newest first. An upload of overrides shows up under overrides instead."""

    form = UploadForm
    list_display = ["__str__", "note", "created_by", "digest", "withdrawn_ms"]
    actions = ["withdraw"]

    def has_change_permission(self, request: HttpRequest, obj: HardwareKnowledge | None = None) -> bool:
        """The list has actions; a row has no form."""
        return obj is None and self.has_add_permission(request)

    def save_model(self, request: HttpRequest, obj: HardwareKnowledge, form: UploadForm, change: bool) -> None:
        told = form.cleaned_data
        try:
            add_knowledge(viewer_of(request), told["text"], note=told["note"], now_ms=clock.now_ms())
        except AllDataError as refusal:
            self.message_user(request, str(refusal), messages.ERROR)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:
        """The service has written the audit entry; `obj` was never stored under its own key."""

    @admin.action(description=_("Withdraw"))
    def withdraw(self, request: HttpRequest, rows: QuerySet[HardwareKnowledge]) -> None:
        for row in rows:
            withdraw_knowledge(viewer_of(request), row.version, now_ms=clock.now_ms())


@admin.register(HardwareOverride)
class OverrideAdmin(_Unchangeable):
    """Operators' own values; new ones are uploaded as a document."""

    list_display = ["vendor", "model", "dimension", "value", "reason", "ended_ms"]
    search_fields = ["vendor", "model"]
    actions = ["end"]

    def has_change_permission(self, request: HttpRequest, obj: HardwareOverride | None = None) -> bool:
        return obj is None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description=_("End"))
    def end(self, request: HttpRequest, rows: QuerySet[HardwareOverride]) -> None:
        for row in rows:
            end_override(viewer_of(request), row.pk, now_ms=clock.now_ms())


@admin.register(HardwareModel)
class HardwareModelAdmin(_Unchangeable):
    """Single facts of earlier releases."""

    list_display = ["vendor", "model", "dimension", "value"]
    search_fields = ["vendor", "model"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
