"""Report a search: lines for people, plain data for programs."""

from vademecum.core.trace import Json
from vademecum.desks.composer.search.search import Found, scored


def found_as_data(found: Found) -> dict[str, Json]:
    """A search as plain data."""
    kind = found.classification
    return {
        "query": found.query,
        "type": kind.type,
        "weights": kind.weights._asdict(),
        "reasons": [kind.reason],
        "not_understood": list(kind.not_understood),
        "results": [{**scored(one), "why": list(one.why)} for one in found.ranked],
        "relaxed": [one.message for one in found.relaxed],
        "excluded": [{"file": one.file, "because": one.because} for one in found.excluded],
    }


def found_told(found: Found, *, explain: bool) -> str:
    """A search in lines for people."""
    lines = [f"Given up: {one.message}" for one in found.relaxed]
    for rank, one in enumerate(found.ranked, start=1):
        lines.append(f"{rank:2}. {one.score:.2f}  {one.file}")
        if explain:
            weighed = (
                f"    meaning {one.semantic:.2f}, keywords {one.keyword:.2f}, packages {one.package:.2f}"
            )
            lines += [
                weighed + (f", less {one.penalty:.2f}" if one.penalty else ""),
                *(f"    {why}" for why in one.why),
            ]
    if not found.ranked:
        lines.append("No template is near enough.")
    if unknown := found.classification.not_understood:
        lines.append(f"Not understood: {', '.join(unknown)}.")
    if explain:
        lines += ["", f"Type: {found.classification.type}", f"  {found.classification.reason}"]
        lines += [f"  left out: {one.file} ({one.because})" for one in found.excluded]
    return "\n".join(lines)
