"""Image templates: YAML files that describe an operating system image, with their inheritance and their facts."""

from vademecum.desks.composer.image_template.facts import (
    Artifact,
    Facts,
    Interface,
    Partition,
    facts_of,
    size_bytes,
)
from vademecum.desks.composer.image_template.parse import dump_tree, load_tree, parse_template
from vademecum.desks.composer.image_template.resolve import Resolved, resolve
from vademecum.desks.composer.image_template.template import Data, Template

__all__ = [
    "Artifact", "Data", "Facts", "Interface", "Partition", "Resolved", "Template", "dump_tree", "facts_of", "load_tree", "parse_template", "resolve",
    "size_bytes",
]  # fmt: skip
