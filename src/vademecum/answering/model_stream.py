"""Stream a reply that has a JSON schema, from servers that may reject schemas."""

from collections.abc import Callable, Iterator

from vademecum.core.errors import ProviderRefused
from vademecum.core.models import Reply, Schema
from vademecum.core.protocols import ChatStream


def pieces(
    request: Callable[[Schema | None], ChatStream], schema: Schema | None, ended: Callable[[Reply], None]
) -> Iterator[str]:
    """Yield the parts of a reply. If a server rejects the schema, the call is repeated without it.

    Args:
        request: Opens the stream.
        schema: The JSON schema; None for text.
        ended: Called with the whole reply after its last part.

    Raises:
        ProviderError: The call failed.
    """
    has_begun = False
    with request(schema) as stream:
        try:
            for piece in stream:
                has_begun = True
                yield piece
        except ProviderRefused:
            if has_begun or schema is None:
                raise
        else:
            ended(stream.reply())
            return
    yield from pieces(request, None, ended)
