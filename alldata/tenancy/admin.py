"""The console's view of teams: what they are called, and how much they weigh in fair share."""

from django import forms
from django.contrib import admin, messages
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from alldata.kernel import clock
from alldata.kernel.errors import AllDataError
from alldata.tenancy.models import Team
from alldata.tenancy.services.weights import set_weight
from alldata.tenancy.viewer import Viewer


def _viewer(request: HttpRequest) -> Viewer:
    viewer: Viewer = request.viewer  # type: ignore[attr-defined]
    return viewer


class WeightForm(forms.ModelForm):  # type: ignore[type-arg]
    """One field: the weight."""

    weight = forms.IntegerField(
        label=_("Weight"),
        help_text=_("Under fair share a team of weight 2 may hold twice what a team of weight 1 holds."),
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
    )

    class Meta:
        model = Team
        fields = ["weight"]


@admin.register(Team)
class TeamAdmin(ModelAdmin):  # type: ignore[misc]
    """Teams are made elsewhere; here their weights are set, through the service that writes the audit."""

    form = WeightForm
    list_display = ["name", "slug", "weight"]
    readonly_fields = ["name", "slug"]
    fields = ["name", "slug", "weight"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        rows: QuerySet[Team] = super().get_queryset(request)
        return rows.filter(organisation_id=_viewer(request).organisation_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Team, form: WeightForm, change: bool) -> None:
        try:
            set_weight(_viewer(request), obj.pk, form.cleaned_data["weight"], now_ms=clock.now_ms())
        except AllDataError as refusal:
            self.message_user(request, str(refusal), messages.ERROR)
