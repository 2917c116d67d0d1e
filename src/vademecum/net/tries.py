"""When a call is tried again, and how long before."""

import random
import time
from email.utils import parsedate_to_datetime

from vademecum.net.limits import Limits

AGAIN = frozenset({429, 502, 503, 504})
"""Statuses that pass by themselves."""

_SPREAD = 0.25
_LONGEST_NUMBER = 9


def pause_s(limits: Limits, tries: int, retry_after: str | None) -> float:
    """How long to wait after so many tries.

    Args:
        limits: The first pause; each further one is twice as long, moved by chance so that clients do not come
            back together.
        tries: How many there were, from 1.
        retry_after: The header of this name: seconds or a date. Then it is this long at least.
    """
    own: float = limits.first_pause_s * 2 ** (tries - 1) * random.uniform(1 - _SPREAD, 1 + _SPREAD)  # noqa: S311 - no secret
    return max(own, asked_s(retry_after))


def asked_s(retry_after: str | None) -> float:
    """What a `Retry-After` header asks for, in seconds; 0 for none, the past, or nonsense (RFC 9110, 10.2.3).

    >>> asked_s("7"), asked_s("Wed, 21 Oct 2015 07:28:00 GMT"), asked_s("soon")
    (7.0, 0.0, 0.0)
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:_LONGEST_NUMBER])
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError, TypeError):
        return 0.0
    return max(0.0, moment - time.time())
