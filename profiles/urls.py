"""Addresses of profiles."""

from django.urls import URLPattern, path

from profiles import api, pages

api_urlpatterns = [
    path("profiles", api.ProfileCollection.as_view(), name="api-profiles"),
    path("profiles/<str:name>/<str:version>", api.ProfileItem.as_view(), name="api-profile"),
    path("profiles/<str:name>/<str:version>/publish", api.ProfilePublish.as_view(), name="api-profile-publish"),
    path("profiles/<str:name>/<str:version>/deprecate", api.ProfileDeprecate.as_view(), name="api-profile-deprecate"),
]

page_urlpatterns: list[URLPattern] = [
    path("profiles/", pages.profiles, name="profiles"),
    path("profiles/<str:name>/<str:version>/", pages.profile, name="profile"),
]
