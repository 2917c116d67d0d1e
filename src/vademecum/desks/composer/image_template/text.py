"""The searchable form of a template: the embedded text, the words of each field, and the capabilities.

The text is built from fields and facts, never from raw YAML. Its first lines are those that the templates' own form has; the facts
follow in words, so that a template without metadata is found by what it is.
"""

from typing import NamedTuple

from vademecum.core.passages import DOCUMENT_STEPS
from vademecum.desks.composer.image_template import Facts, Template
from vademecum.desks.composer.image_template.template import mapping, text, texts, walk
from vademecum.text.words import WORD, numbers

BUILDER = "2"
"""Changes whenever the rule for the text does; vectors of another one are not used."""

_FIELDS = {
    "name": (2.0, 0.3, 8),
    "claims": (1.5, 0.5, 40),
    "packages": (1.0, 0.3, 60),
    "kernel": (1.0, 0.4, 15),
    "structure": (0.7, 0.3, 50),
    "facts": (0.8, 0.5, 60),
    "comments": (0.4, 0.7, 200),
}
"""How each field counts: the boost, the length normalisation and the usual length of `retrieval.lexical.Field`."""

ALIASES = {
    "useCase": "use_cases",
    "use_case": "use_cases",
    "recommendedFor": "use_cases",
    "capabilities": "keywords",
}
"""Names of metadata that are read though the schema does not have them."""

_MOST_COMMENTS = 6000
"""Characters of comments that are indexed."""


class Indexed(NamedTuple):
    """A template, indexed.

    Attributes:
        terms: Numbers of its terms, ascending.
    """

    text: str
    capabilities: tuple[str, ...]
    terms: list[int]
    weights: list[float]


class Claims(NamedTuple):
    """What a template's metadata says of it."""

    description: str
    use_cases: tuple[str, ...]
    keywords: tuple[str, ...]


def claims_of(template: Template) -> Claims:
    """The metadata, its aliases read as what they stand for. Values of a wrong kind count as left out."""
    metadata = mapping(template.data.get("metadata"))
    lists: dict[str, list[str]] = {"use_cases": [], "keywords": []}
    for key, value in metadata.items():
        name = ALIASES.get(key, key)
        if name in lists:
            lists[name] += [value] if isinstance(value, str) else texts(value)
    return Claims(text(metadata.get("description")), tuple(lists["use_cases"]), tuple(lists["keywords"]))


def indexed(template: Template, facts: Facts) -> Indexed:
    """Index a template."""
    from vademecum.desks.composer.image_template.capabilities import capabilities_of  # noqa: PLC0415 - not for templates that are kept
    from vademecum.retrieval.lexical import Field, bm25f  # noqa: PLC0415 - the same

    able = capabilities_of(facts)
    vector = bm25f(
        (numbers(WORD.findall(words)), Field(*_FIELDS[name]))
        for name, words in fields_of(template, facts, able).items()
    )
    weights = {term: steps / DOCUMENT_STEPS for term, steps in sorted(zip(*vector, strict=True))}
    return Indexed(searchable_text(template, facts, able), able, list(weights), list(weights.values()))


def searchable_text(template: Template, facts: Facts, able: tuple[str, ...]) -> str:
    """The text of a template that is embedded."""
    claims = claims_of(template)
    lines = {
        "Template": template.name,
        "Name": text(mapping(template.data.get("image")).get("name")),
        "Use case": ", ".join(claims.use_cases),
        "Description": claims.description or _described(template),
        "Distribution": facts.version,
        "Architecture": facts.architecture,
        "Image type": facts.image_type,
        "Keywords": ", ".join(claims.keywords or _words_of(template.stem)),
        "Packages": ", ".join(facts.packages),
        "Kernel": " ".join((facts.kernel_version, *facts.kernel_packages)).strip(),
        "Facts": _says(able),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if value)


def fields_of(template: Template, facts: Facts, able: tuple[str, ...]) -> dict[str, str]:
    """The words of each field."""
    claims = claims_of(template)
    system = mapping(template.data.get("systemConfig"))
    image = mapping(template.data.get("image"))
    return {
        "name": " ".join(
            [template.stem, *(text(one) for one in (image.get("name"), system.get("name"), facts.hostname))]
        ),
        "claims": " ".join([claims.description, _described(template), *claims.use_cases, *claims.keywords]),
        "packages": " ".join(facts.packages),
        "kernel": " ".join(
            (
                facts.kernel_version,
                *facts.kernel_packages,
                facts.replaced_kernel,
                *facts.kernel_options,
                *facts.kernel_modules,
            )
        ),
        "structure": _structure(template, facts),
        "facts": _says(able),
        "comments": " ".join(template.comments)[:_MOST_COMMENTS],
    }


def _says(able: tuple[str, ...]) -> str:
    from vademecum.desks.composer.image_template.capabilities import says  # noqa: PLC0415 - see `indexed`

    return says(able)


def _described(template: Template) -> str:
    return text(mapping(template.data.get("systemConfig")).get("description"))


def _words_of(stem: str) -> list[str]:
    return [word for word in stem.replace("_", "-").split("-") if not word.isdigit()]


def _structure(template: Template, facts: Facts) -> str:
    """The names of what is set, and the values that people know by name."""
    keys = [where.rpartition(".")[2] for where, _ in walk(template.data) if where]
    values = [
        facts.distribution,
        facts.version,
        facts.architecture,
        facts.image_type,
        facts.boot_type,
        facts.boot_loader,
        facts.partition_table,
        facts.picks_disk,
        facts.network,
        facts.unlock,
        facts.baseline,
        *(word for artifact in facts.artifacts for word in artifact),
        *(
            word
            for partition in facts.partitions
            for word in (partition.id, partition.type, partition.filesystem, partition.mount)
        ),
        *(interface.name for interface in facts.interfaces),
        *facts.repositories,
        *facts.users,
        "overlay" if facts.overlay else "",
    ]
    return " ".join(word for word in dict.fromkeys((*keys, *values)) if word and not word.isdigit())
