"""Create and revoke API tokens."""

import secrets
from uuid import UUID

from alldata.tenancy.models import ApiToken
from alldata.tenancy.selectors import token_digest


def issue_token(*, user_id: int, project_id: UUID, name: str, secret: str = "", now_ms: int) -> str:
    """Create a token and return its secret, which is not kept and cannot be shown again.

    Passing a `secret` that was generated elsewhere (the embedded stack's file) makes the
    call idempotent.
    """
    secret = secret or f"ad_{secrets.token_urlsafe(32)}"
    ApiToken.objects.get_or_create(
        digest=token_digest(secret),
        defaults={
            "user_id": user_id,
            "project_id": project_id,
            "name": name,
            "prefix": secret[:9],
            "created_ms": now_ms,
        },
    )
    return secret
