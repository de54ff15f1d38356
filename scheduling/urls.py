"""Addresses of scheduling."""

from django.urls import path

from scheduling.api import jobs, resources

api_urlpatterns = [
    path("jobs", jobs.JobCollection.as_view(), name="api-jobs"),
    path("jobs/<str:reference>", jobs.JobItem.as_view(), name="api-job"),
    path("jobs/<str:reference>/cancel", jobs.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<str:reference>/logs", jobs.JobLogs.as_view(), name="api-job-logs"),
    path("schedule", jobs.Schedule.as_view(), name="api-schedule"),
    path("events", jobs.Events.as_view(), name="api-events"),
    path("resources", resources.Resources.as_view(), name="api-resources"),
    path("resources/<path:uuid>/capabilities", resources.ResourceCapabilities.as_view()),
    path("resources/<path:uuid>", resources.Resource.as_view(), name="api-resource"),
    path("pipelines", resources.Pipelines.as_view(), name="api-pipelines"),
    path("pipelines/<str:reference>", resources.Pipeline.as_view(), name="api-pipeline"),
]

page_urlpatterns: list = []
