"""Write docs/reference/template-fields.md: every field of an image template, from the model itself.

`python scripts/template_fields.py` writes the page; a test compares it with `page()`.
"""

from pathlib import Path

from vademecum.desks.composer.image_template.model import FIELDS, Field
from vademecum.desks.composer.template.forms import FORMS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "template-fields.md"
_KINDS = {
    "text": "text",
    "switch": "true or false",
    "number": "whole number",
    "texts": "list of texts",
    "section": "mapping",
    "sections": "list of mappings",
    "free-sections": "list of mappings",
}


def page() -> str:
    """The text of the page."""
    rows = [
        f"| `{field.path}` | {_KINDS[field.kind]} | {_values(field)} | {field.meaning} |" for field in FIELDS
    ]
    return f"""# Fields of an image template

Every field that a template may have. `[]` marks a list of mappings. A field marked * must be there where its mapping is.
`vademecum templates schema` prints the same as a JSON Schema for an editor; `vademecum templates check` also checks which fields go together.

| field | holds | values | meaning |
| --- | --- | --- | --- |
{chr(10).join(rows)}
"""


def _values(field: Field) -> str:
    said = ", ".join(f"`{choice}`" if choice else '`""`' for choice in field.choices)
    if field.form:
        said = f"such as `{FORMS[field.form].example}`"
    if field.bounds:
        said = f"{field.bounds[0]} to {field.bounds[1]}"
    if field.default:
        said = f"{said}; `{field.default}` if missing" if said else f"`{field.default}` if missing"
    return f"{said} *".strip() if field.required else said


if __name__ == "__main__":
    PAGE.write_text(page())
