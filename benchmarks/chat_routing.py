"""How long the chat desk takes to find the rule for a question: 200 patterns, searched for in one pass.

    python benchmarks/chat_routing.py [--rules 200] [--rounds 60] [--json]

Every round asks a question that was not asked before, so that nothing but the automaton itself is warm: `first` is the
first question after loading. Beside it stands what the same patterns take one by one with Python's own `re`.
"""

import argparse
import json
import random
import re
import statistics
import string
import sys
import time
from datetime import UTC, datetime

from vademecum.desks.chat.chat import match
from vademecum.desks.chat.load import read
from vademecum.desks.chat.profile import Profile

SIZES = {"10 kB": 10_000, "1 MB": 1_000_000}
REACH_MS = {"10 kB": 2.0, "1 MB": 20.0}
_WORDS = 4000


def patterns(words: list[str], count: int, chance: random.Random) -> list[str]:
    """Patterns as people write them into such files: words, choices, beginnings, two words with something between."""
    found = []
    for number in range(count):
        one, other = chance.sample(words, 2)
        shapes = (
            rf"/\b{one}\b/i",
            rf"/\b({one}|{other})s?\b/i",
            rf"/^(how|what|where|why)\b.{{0,20}}\b{one}/i",
            rf"/{one}\s+{other}/i",
            rf"/\b{one}[ -]?\d+(\.\d+)?\b/",
        )
        found.append(shapes[number % len(shapes)])
    return found


def question(words: list[str], size: int, chance: random.Random) -> str:
    """A text of words that no pattern names, so that every rule is tried."""
    text = "how do I " + " ".join(chance.choices(words, k=size // 7 + 1))
    return text[:size]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rules", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chance = random.Random(7)  # noqa: S311 - seeded, so that it is the same again
    words = ["".join(chance.choices(string.ascii_lowercase, k=chance.randint(4, 9))) for _ in range(_WORDS)]
    named, others = words[: _WORDS // 2], words[_WORDS // 2 :]
    written = patterns(named, arguments.rules, chance)
    rules = [{"match": {"user_message_regexp": one}, "static_response": "x"} for one in written]
    data = json.dumps({"responses": [*rules, {"static_response": "x"}]}).encode()
    began_s = time.perf_counter()
    loaded = read(data, "benchmark", is_json=True)
    figures: dict[str, object] = {"rules": arguments.rules, "loading_ms": _ms(began_s)}
    plain = [
        re.compile(one.strip("/").removesuffix("/i"), re.IGNORECASE if one.endswith("i") else 0)
        for one in written
    ]
    for name, size in SIZES.items():
        took = []
        for _ in range(arguments.rounds):
            profile = Profile(
                user_message=question(others, size, chance), selected_collections=(), timestamp=""
            )
            began_s = time.perf_counter()
            rule, _tried = match(profile, loaded.rules.trying(profile))
            took.append(_ms(began_s))
            if rule.place != arguments.rules:
                sys.exit("A rule matched that should not.")
        text = question(others, size, chance)
        began_s = time.perf_counter()
        for one in plain:
            one.search(text)
        baseline = _ms(began_s)
        ordered = sorted(took)
        figures[name] = {
            "first_ms": took[0],
            "median_ms": statistics.median(took),
            "p95_ms": ordered[int(0.95 * (len(ordered) - 1))],
            "worst_ms": ordered[-1],
            "reach_ms": REACH_MS[name],
            "one_by_one_ms": baseline,
        }
    figures["at"] = datetime.now(UTC).isoformat(timespec="seconds")
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{arguments.rules} rules, loaded in {figures['loading_ms']:.0f} ms")
    for name in SIZES:
        one = figures[name]
        print(
            f"{name:>6}: median {one['median_ms']:.2f} ms, p95 {one['p95_ms']:.2f}, first {one['first_ms']:.2f}, worst "
            f"{one['worst_ms']:.2f} (to reach {one['reach_ms']:g}); one by one with re {one['one_by_one_ms']:.0f} ms"
        )


def _ms(began_s: float) -> float:
    return round((time.perf_counter() - began_s) * 1000, 3)


if __name__ == "__main__":
    main()
