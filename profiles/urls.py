"""Addresses of profiles."""

from django.urls import URLPattern, path

from profiles import pages
from profiles.api import knowledge, language, profiles

api_urlpatterns = [
    path("rcdl/schema", language.LanguageSchema.as_view(), name="api-rcdl-schema"),
    path("rcdl/check", language.LanguageCheck.as_view(), name="api-rcdl-check"),
    path("profiles", profiles.ProfileCollection.as_view(), name="api-profiles"),
    path("profiles/<str:name>/diff", profiles.ProfileDiff.as_view(), name="api-profile-diff"),
    path("profiles/<str:name>/<str:version>", profiles.ProfileItem.as_view(), name="api-profile"),
    path("profiles/<str:name>/<str:version>/document", profiles.ProfileDocument.as_view(), name="api-profile-document"),
    path("profiles/<str:name>/<str:version>/publish", profiles.ProfilePublish.as_view(), name="api-profile-publish"),
    path(
        "profiles/<str:name>/<str:version>/deprecate", profiles.ProfileDeprecate.as_view(), name="api-profile-deprecate"
    ),
    path("hkb", knowledge.KnowledgeBase.as_view(), name="api-hkb"),
    path("hkb/lookup", knowledge.KnowledgeLookup.as_view(), name="api-hkb-lookup"),
    path("hkb/versions", knowledge.KnowledgeVersions.as_view(), name="api-hkb-versions"),
    path("hkb/versions/<int:version>/withdraw", knowledge.KnowledgeWithdraw.as_view(), name="api-hkb-withdraw"),
    path("hkb/overrides", knowledge.Overrides.as_view(), name="api-hkb-overrides"),
    path("hkb/overrides/<uuid:override>", knowledge.Override.as_view(), name="api-hkb-override"),
]

page_urlpatterns: list[URLPattern] = [
    path("profiles/", pages.profiles, name="profiles"),
    path("profiles/<str:name>/<str:version>/", pages.profile, name="profile"),
]
