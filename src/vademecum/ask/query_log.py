"""The query log: one JSON line for each question and its answer. Off unless `ragman.query_log` is set.

The file is `queries.ndjson` in the data folder. Only its owner can read it, because questions are private. A line contains
`timestamp`, `question`, `summary`, `sources` (the cited documents, as `<alias>:<document>`), `latency_ms`, `confidence`,
`no_answer` and `trace_id`.
"""

from datetime import UTC, datetime

from vademecum.core.answers import Answer
from vademecum.files.places import Places
from vademecum.files.write import append_line

LONGEST = 4000
"""The maximum length of a logged question and of a logged summary, in characters."""


def log_query(places: Places, answer: Answer, latency_ms: float) -> str:
    """Log a question and its answer.

    Returns:
        "", or a warning that says why the question could not be logged.
    """
    sources = dict.fromkeys(f"{citation.alias}:{citation.document_ref}" for citation in answer.citations)
    try:
        append_line(
            places.query_log,
            {
                "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "question": answer.question,
                "summary": " ".join(statement.text for statement in answer.summary),
                "sources": list(sources),
                "latency_ms": round(latency_ms, 1),
                "confidence": round(answer.confidence, 4),
                "no_answer": answer.no_answer,
                "trace_id": answer.trace.id,
            },
            durable=False,
            longest=LONGEST,
        )
    except OSError as error:
        return f"The query log {places.query_log} cannot be written: {error.strerror or error}."
    return ""
