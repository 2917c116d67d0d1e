"""How long, how often and how much: what one call may cost."""

from typing import NamedTuple

MEGABYTE = 1 << 20


class Limits(NamedTuple):
    """What a call may cost.

    Attributes:
        timeout_s: The time for all tries together, unless the call has a deadline of its own.
        connect_s: The time for one try to connect.
        stall_s: How long an answer that has begun may pause.
        retries: How often a call is tried again, when it has not begun to be answered.
        first_pause_s: The pause before the second try; it doubles with each. Chance moves each by up to a quarter.
        answer_bytes: How large an answer may be that is read as a whole.
        line_bytes: How long a line or event of a stream may be.
        stream_bytes: How large all of a stream may be.
    """

    timeout_s: float = 120.0
    connect_s: float = 5.0
    stall_s: float = 60.0
    retries: int = 3
    first_pause_s: float = 1.0
    answer_bytes: int = 32 * MEGABYTE
    line_bytes: int = MEGABYTE
    stream_bytes: int = 64 * MEGABYTE
