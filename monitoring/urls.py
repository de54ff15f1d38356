"""Addresses of monitoring."""

from django.urls import path

from monitoring.api.agents import AgentFrames, AgentRegister
from monitoring.api.series import JobMetrics
from monitoring.exporter import MetricsView

api_urlpatterns = [
    path("agents/register", AgentRegister.as_view(), name="agent-register"),
    path("agents/frames", AgentFrames.as_view(), name="agent-frames"),
    path("jobs/<str:ref>/metrics", JobMetrics.as_view(), name="job-metrics"),
]
page_urlpatterns = [path("metrics", MetricsView.as_view(), name="metrics")]
