"""Who is looking, on every request of a signed-in person."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from alldata.tenancy.selectors import viewer_of_user

Next = Callable[[HttpRequest], HttpResponse]


class ViewerOfRequest:
    """`request.viewer` for signed-in people, looked up when first asked for."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            user = request.user
            request.viewer = SimpleLazyObject(lambda: viewer_of_user(user))  # type: ignore[attr-defined]
        return self.get_response(request)
