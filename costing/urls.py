"""Addresses of costing."""

from django.urls import URLPattern, path

from costing.api import CostSummary, JobCostView

api_urlpatterns = [
    path("cost", CostSummary.as_view(), name="cost-summary"),
    path("cost/jobs/<str:ref>", JobCostView.as_view(), name="job-cost"),
]
page_urlpatterns: list[URLPattern] = []
