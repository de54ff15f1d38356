"""Who reads, in which language and light? Sign-in, sign-out, language and theme: none needs JavaScript."""

from django.conf import settings
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import check_for_language
from django.views.decorators.http import require_POST

YEAR_S = 365 * 86_400

sign_in = LoginView.as_view(template_name="portal/sign_in.html", redirect_authenticated_user=True)
sign_out = LogoutView.as_view()


def _back(request: HttpRequest) -> HttpResponse:
    """To the page the form stood on, never to another host."""
    target = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return redirect(target if safe else "/")


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Remember the reader's language for a year."""
    response, chosen = _back(request), request.POST.get("language", "")
    if check_for_language(chosen):
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, chosen, max_age=YEAR_S, samesite="Lax")
    return response


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light or dark; anything else follows the system again."""
    response, chosen = _back(request), request.POST.get("theme", "")
    if chosen in ("light", "dark"):
        response.set_cookie("theme", chosen, max_age=YEAR_S, samesite="Lax")
    else:
        response.delete_cookie("theme")
    return response
