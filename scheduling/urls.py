"""Addresses of scheduling."""

from django.urls import path

from scheduling import pages
from scheduling.api import decisions, jobs, places, resources

api_urlpatterns = [
    path("jobs", jobs.JobCollection.as_view(), name="api-jobs"),
    path("jobs/<str:reference>", jobs.JobItem.as_view(), name="api-job"),
    path("jobs/<str:reference>/cancel", jobs.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<str:reference>/logs", jobs.JobLogs.as_view(), name="api-job-logs"),
    path("jobs/<str:reference>/decisions", decisions.Decisions.as_view(), name="api-decisions"),
    path("jobs/<str:reference>/decisions/<int:number>", decisions.DecisionMatrix.as_view(), name="api-decision"),
    path("schedule", places.Schedule.as_view(), name="api-schedule"),
    path("reservations", places.Reservations.as_view(), name="api-reservations"),
    path("reservations/<str:reference>", places.Reservation.as_view(), name="api-reservation"),
    path("events", jobs.Events.as_view(), name="api-events"),
    path("resources", resources.Resources.as_view(), name="api-resources"),
    path("resources/<path:uuid>/capabilities", resources.ResourceCapabilities.as_view()),
    path("resources/<path:uuid>", resources.Resource.as_view(), name="api-resource"),
    path("pipelines", resources.Pipelines.as_view(), name="api-pipelines"),
    path("pipelines/<str:reference>", resources.Pipeline.as_view(), name="api-pipeline"),
]

page_urlpatterns = [
    path("jobs/", pages.jobs, name="jobs"),
    path("jobs/_/rows", pages.jobs_rows, name="jobs-rows"),
    path("jobs/<str:reference>/stop/", pages.stop, name="job-stop"),
    path("pipelines/", pages.pipelines, name="pipelines"),
    path("pipelines/<str:reference>/", pages.pipeline, name="pipeline"),
    path("pipelines/<str:reference>/_/steps", pages.pipeline_steps, name="pipeline-steps"),
]
