"""The trace."""

import json

from vademecum.core.trace import Trace


def test_steps_are_kept_in_order_with_what_they_saw():
    trace = Trace()
    trace.record("analyse", terms=["chmod"])
    trace.record("retrieve", candidates=3)
    (first, second) = json.loads(json.dumps(trace.to_dict()))["steps"]
    assert (first.pop("duration_ms") >= 0, second.pop("duration_ms") >= 0) == (True, True)
    assert (first, second) == ({"name": "analyse", "terms": ["chmod"]}, {"name": "retrieve", "candidates": 3})
