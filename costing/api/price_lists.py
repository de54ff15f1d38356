"""Reading a posted price list: YAML of ours, or a cloud's CSV."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from alldata.tenancy.viewer import Viewer
from costing.errors import FinanceOnly
from costing.services.cloud_lists import CloudList, read_cloud_list
from costing.services.lists import PriceList, read_price_list

MAX_TEXT = 2_000_000


class Written(serializers.Serializer[Mapping[str, Any]]):
    """A list of ours (`yaml`), or a cloud's (`csv`, with the name and currency of the book)."""

    yaml = serializers.CharField(max_length=MAX_TEXT, required=False)
    csv = serializers.CharField(max_length=MAX_TEXT, required=False)
    name = serializers.SlugField(max_length=63, required=False)
    currency = serializers.RegexField(r"^[A-Z]{3}$", required=False)
    reference = serializers.CharField(max_length=300, default="", help_text="where it comes from")
    charge_mode = serializers.CharField(max_length=12, default="consumption")
    gpu_weights = serializers.DictField(child=serializers.IntegerField(min_value=0), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("yaml" in attrs) == ("csv" in attrs):
            raise serializers.ValidationError({"yaml": "either yaml or csv"})
        if "csv" in attrs and not {"name", "currency"} <= attrs.keys():
            raise serializers.ValidationError({"name": "a csv needs name and currency"})
        return attrs


def list_in(request: Request, viewer: Viewer, *, now_ms: int) -> PriceList:
    """The list in the body. Errors: FinanceOnly, ValidationError, BadPriceBook, BadAmount."""
    if not viewer.is_finance:
        raise FinanceOnly
    form = Written(data=request.data)
    form.is_valid(raise_exception=True)
    given = form.validated_data
    if "yaml" in given:
        return read_price_list(given["yaml"])
    asked = CloudList(
        given["name"],
        given["currency"],
        given["csv"],
        given["reference"],
        given["charge_mode"],
        given.get("gpu_weights"),
    )
    return read_cloud_list(asked, now_ms=now_ms)
