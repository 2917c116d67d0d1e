"""Draws the risk-coverage curve: how often an answer is wrong when only the surest questions are answered."""

from collections.abc import Sequence
from pathlib import Path

PICTURE = Path(__file__).parents[1] / "docs" / "explanation" / "risk-coverage.svg"

_LEFT, _TOP, _WIDTH, _HEIGHT = 64, 24, 560, 260
_HIGHEST = 0.5
"""The risk at the top of the picture."""

_STYLE = """\
    text { fill: #1f2328; font-size: 12px; }
    .axis { stroke: #57606a; }
    .grid { stroke: #d0d7de; stroke-dasharray: 3 4; }
    .curve { fill: none; stroke: #0969da; stroke-width: 2; }
    .border { stroke: #bc4c00; stroke-dasharray: 5 4; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .axis { stroke: #8b949e; }
      .grid { stroke: #30363d; }
      .curve { stroke: #58a6ff; }
      .border { stroke: #ffa657; }
    }"""


def drawn(points: Sequence[Sequence[float]], questions: int, threshold: float = 0.35) -> str:
    """The curve as SVG.

    Args:
        points: (coverage, risk, confidence), coverage rising to 1.
        questions: How many it is of.
        threshold: The confidence below which nothing is answered, which is marked.
    """
    path = " ".join(
        f"{'M' if not at else 'L'}{_x(coverage)} {_y(risk)}" for at, (coverage, risk, _) in enumerate(points)
    )
    answered = [point for point in points if point[2] >= threshold] or [points[0]]
    coverage, risk, _ = answered[-1]
    lines = []
    for tenth in range(0, 11, 2):
        x = _x(tenth / 10)
        lines.append(f'<line class="grid" x1="{x}" y1="{_TOP}" x2="{x}" y2="{_TOP + _HEIGHT}"/>')
        lines.append(f'<text x="{x}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{10 * tenth} %</text>')
    for tenth in range(int(10 * _HIGHEST) + 1):
        y = _y(tenth / 10)
        lines.append(f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{_LEFT + _WIDTH}" y2="{y}"/>')
        lines.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{10 * tenth} %</text>')
    title = (
        f"Of {questions} questions, at the usual threshold {coverage:.0%} are answered; "
        f"of these the first page is not a right one for {risk:.0%}."
    )
    grid = "\n  ".join(lines)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 336" font-family="system-ui, sans-serif" role="img" \
aria-labelledby="title">
  <title id="title">{title}</title>
  <style>
{_STYLE}
  </style>
  {grid}
  <path class="curve" d="{path}"/>
  <line class="border" x1="{_x(coverage)}" y1="{_TOP}" x2="{_x(coverage)}" y2="{_TOP + _HEIGHT}"/>
  <text x="{_x(coverage) - 6}" y="{_TOP + 12}" text-anchor="end">confidence {threshold}</text>
  <line class="axis" x1="{_LEFT}" y1="{_TOP + _HEIGHT}" x2="{_LEFT + _WIDTH}" y2="{_TOP + _HEIGHT}"/>
  <line class="axis" x1="{_LEFT}" y1="{_TOP}" x2="{_LEFT}" y2="{_TOP + _HEIGHT}"/>
  <text x="{_LEFT + _WIDTH / 2}" y="{_TOP + _HEIGHT + 40}" text-anchor="middle">questions answered, surest first</text>
  <text transform="translate(16 {_TOP + _HEIGHT / 2}) rotate(-90)" text-anchor="middle">first page not right</text>
</svg>
"""


def draw(points: Sequence[Sequence[float]], questions: int) -> None:
    """Write the picture that the documents show."""
    PICTURE.write_text(drawn(points, questions), encoding="utf-8")


def _x(coverage: float) -> float:
    return round(_LEFT + coverage * _WIDTH, 1)


def _y(risk: float) -> float:
    return round(_TOP + _HEIGHT * (1 - min(risk, _HIGHEST) / _HIGHEST), 1)
