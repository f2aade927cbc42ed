"""Requests that the token of a bot opens: ``Authorization: Bearer TOKEN``."""

from __future__ import annotations

from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_web.http.wrong_tokens import bearer_token
from polynya_web.site import Site


async def check_owner(request: Request, site: Site, bot: str) -> None:
    """Check the token of a request.

    Raises:
        HTTPException: 401, there is none; 403 or 429, it is not this bot's.
    """
    token = bearer_token(request, Reason.of("token_needed"))
    token_hash = await site.ask(site.database.bots.token_hash, bot)
    site.attempts.check_bot(request, bot, token, token_hash)
