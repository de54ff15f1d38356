"""The console's view of profiles: write drafts, publish, deprecate; published text is read-only."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from alldata.kernel import clock
from alldata.kernel.errors import AllDataError
from alldata.tenancy.viewer import Viewer
from profiles.errors import InvalidDocument
from profiles.models import ProfileVersion, Status
from profiles.rcdl.parse import load
from profiles.services import deprecate_version, draft_profile, publish_version


def viewer_of(request: HttpRequest) -> Viewer:
    viewer: Viewer = request.viewer  # type: ignore[attr-defined]
    return viewer


class DocumentForm(forms.ModelForm):  # type: ignore[type-arg]
    """One field: the document. Its faults are shown with their lines."""

    class Meta:
        model = ProfileVersion
        fields = ["text"]
        widgets = {"text": forms.Textarea(attrs={"rows": 30, "spellcheck": "false", "class": "font-mono w-full"})}

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        try:
            load(text)
        except InvalidDocument as refusal:
            raise forms.ValidationError([located(problem) for problem in refusal.problems]) from None
        return text


def located(problem: Any) -> str:
    hint = f" ({problem['suggestion']})" if problem["suggestion"] else ""
    return f"{problem['line']}:{problem['column']} {problem['path']}: {problem['message']}{hint}"


@admin.register(ProfileVersion)
class ProfileVersionAdmin(ModelAdmin):  # type: ignore[misc]
    """Drafts are edited here; everything goes through the same services as the API."""

    form = DocumentForm
    list_display = ["__str__", "status", "created_by", "digest"]
    list_filter = ["status"]
    search_fields = ["profile__name", "version"]
    list_select_related = ["profile"]
    actions = ["publish_drafts", "deprecate_published"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ProfileVersion]:
        rows: QuerySet[ProfileVersion] = super().get_queryset(request)
        return rows.filter(profile__organisation_id=viewer_of(request).organisation_id)

    def has_change_permission(self, request: HttpRequest, obj: ProfileVersion | None = None) -> bool:
        allowed: bool = super().has_change_permission(request, obj)
        return allowed and (obj is None or obj.status == Status.DRAFT)

    def has_delete_permission(self, request: HttpRequest, obj: ProfileVersion | None = None) -> bool:
        """Never from here: deleting would leave no trace in the audit trail."""
        return False

    def save_model(self, request: HttpRequest, obj: ProfileVersion, form: DocumentForm, change: bool) -> None:
        try:
            view = draft_profile(viewer_of(request), form.cleaned_data["text"], now_ms=clock.now_ms())
        except AllDataError as refusal:
            self.message_user(request, str(refusal), messages.ERROR)
            return
        row = ProfileVersion.objects.get(
            profile__organisation_id=viewer_of(request).organisation_id, profile__name=view.name, version=view.version
        )
        obj.pk, obj.profile, obj.version = row.pk, row.profile, row.version

    @admin.action(description=_("Publish"))
    def publish_drafts(self, request: HttpRequest, rows: QuerySet[ProfileVersion]) -> None:
        self._each(request, rows, publish_version)

    @admin.action(description=_("Deprecate"))
    def deprecate_published(self, request: HttpRequest, rows: QuerySet[ProfileVersion]) -> None:
        self._each(request, rows, deprecate_version)

    def _each(self, request: HttpRequest, rows: QuerySet[ProfileVersion], move: Any) -> None:
        for row in rows.select_related("profile"):
            try:
                move(viewer_of(request), name=row.profile.name, version=row.version, now_ms=clock.now_ms())
            except AllDataError as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
