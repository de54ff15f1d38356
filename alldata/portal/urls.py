"""Addresses of the pages that combine apps, and of the reader's own settings."""

from django.urls import path

from alldata.portal import cost, fleet, gallery, home, job, new_job, node, session

urlpatterns = [
    path("", home.home, name="home"),
    path("_/home/running", home.running, name="home-running"),
    path("jump/", home.jump, name="jump"),
    path("sign-in/", session.sign_in, name="sign-in"),
    path("sign-out/", session.sign_out, name="sign-out"),
    path("language/", session.language, name="language"),
    path("theme/", session.theme, name="theme"),
    path("jobs/new/", new_job.new_job, name="job-new"),
    path("jobs/new/_/precheck", new_job.precheck_panel, name="job-precheck"),
    path("jobs/<str:reference>/", job.job, name="job"),
    path("jobs/<str:reference>/_/live", job.live, name="job-live"),
    path("jobs/<str:reference>/_/timeline", job.timeline, name="job-timeline"),
    path("jobs/<str:reference>/_/log", job.log, name="job-log"),
    path("jobs/<str:reference>/files/<path:name>", job.file, name="job-file"),
    path("jobs/<str:reference>/<str:tab>/", job.tab_view, name="job-tab"),
    path("fleet/heatmap/", fleet.heatmap, name="heatmap"),
    path("fleet/heatmap/cells", fleet.cells, name="heatmap-cells"),
    path("fleet/heatmap/_/table", fleet.heatmap_table, name="heatmap-table"),
    path("fleet/nodes/", fleet.nodes, name="nodes"),
    path("fleet/nodes/<str:name>/", node.node, name="node"),
    path("fleet/nodes/<str:name>/_/load", node.load, name="node-load"),
    path("fleet/devices/<path:uuid>/", node.device, name="device"),
    path("cost/", cost.cost, name="cost"),
    path("cost/jobs/<str:reference>/", cost.job_cost, name="cost-job"),
    path("cost/jobs/<str:reference>/csv", cost.job_csv, name="cost-job-csv"),
    path("_/ui/", gallery.gallery, name="gallery"),
]
