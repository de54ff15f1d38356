"""Addresses of costing."""

from django.urls import path

from costing.api.breakdown import CostBreakdown, CostComparison
from costing.api.budgets import Budgets
from costing.api.exchange import ExchangeRates
from costing.api.focus import FocusExport
from costing.api.insight import JobAdvice, JobUnits, ModelVersions, ProfileUnits
from costing.api.intervals import JobIntervals
from costing.api.invoices import Invoices
from costing.api.jobs import CostSummary, JobCostView
from costing.api.prices import PricePreview, PriceVersions
from costing.exporter import BooksView

api_urlpatterns = [
    path("cost", CostSummary.as_view(), name="cost-summary"),
    path("cost/jobs/<str:ref>", JobCostView.as_view(), name="job-cost"),
    path("cost/jobs/<str:ref>/units", JobUnits.as_view(), name="job-units"),
    path("cost/jobs/<str:ref>/intervals", JobIntervals.as_view(), name="job-intervals"),
    path("cost/jobs/<str:ref>/advice", JobAdvice.as_view(), name="job-advice"),
    path("cost/models", ModelVersions.as_view(), name="cost-models"),
    path("cost/profiles/<str:profile>", ProfileUnits.as_view(), name="profile-cost"),
    path("cost/breakdown", CostBreakdown.as_view(), name="cost-breakdown"),
    path("cost/compare", CostComparison.as_view(), name="cost-compare"),
    path("cost/focus", FocusExport.as_view(), name="cost-focus"),
    path("cost/prices", PriceVersions.as_view(), name="prices"),
    path("cost/prices/preview", PricePreview.as_view(), name="price-preview"),
    path("cost/exchange-rates", ExchangeRates.as_view(), name="exchange-rates"),
    path("cost/invoices", Invoices.as_view(), name="invoices"),
    path("cost/budgets", Budgets.as_view(), name="budgets"),
]
page_urlpatterns = [path("metrics/cost", BooksView.as_view(), name="books-metrics")]
