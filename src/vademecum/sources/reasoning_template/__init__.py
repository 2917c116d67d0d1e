"""Reasoning templates: folders of Markdown files whose front matter says what each is good for."""

from vademecum.sources.reasoning_template.folder import find_templates, read_template
from vademecum.sources.reasoning_template.template import FALLBACK, Template, parse_template

__all__ = ["FALLBACK", "Template", "find_templates", "parse_template", "read_template"]
