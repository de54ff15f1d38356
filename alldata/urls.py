"""Every address of the product: pages at /, REST under /api/v1/, the console at /console/."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

import alldata.portal.urls
import costing.urls
import monitoring.urls
import profiles.urls
import scheduling.urls

APPS = (profiles.urls, scheduling.urls, monitoring.urls, costing.urls)

urlpatterns = [
    path("console/", admin.site.urls),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    *(path("api/v1/", include(app.api_urlpatterns)) for app in APPS),
    *(path("", include(app.page_urlpatterns)) for app in APPS),
    path("", include(alldata.portal.urls)),
]
