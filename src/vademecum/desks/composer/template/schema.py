"""The template model as a JSON Schema (draft 2020-12), for editors and language models."""

from typing import Any

from vademecum.desks.composer.image_template.model import Field, fields_of
from vademecum.desks.composer.template.forms import FORMS

_COMMENT = "Rules between fields are checked by `vademecum templates check`."


def json_schema() -> dict[str, Any]:
    """The schema of a template. It says what each field holds; it does not say which fields go together."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "OS image template",
        "$comment": _COMMENT,
        **_section(""),
    }


def _section(path: str) -> dict[str, Any]:
    fields = fields_of(path)
    made: dict[str, Any] = {
        "type": "object",
        "properties": {name: _field(field) for name, field in fields.items()},
        "additionalProperties": False,
    }
    if required := [name for name, field in fields.items() if field.required]:
        made["required"] = required
    return made


def _field(field: Field) -> dict[str, Any]:
    made: dict[str, Any] = {"description": field.meaning}
    match field.kind:
        case "section":
            made |= _section(field.path)
        case "sections":
            made |= {"type": "array", "items": _section(f"{field.path}[]")}
        case "free-sections":
            made |= {"type": "array", "items": {"type": "object"}}
        case "texts":
            made |= {"type": "array", "items": _text(field)}
            made |= {"minItems": field.least} if field.least else {}
            made |= {"uniqueItems": True} if field.unique else {}
        case "text":
            made |= _text(field)
        case "switch":
            made |= {"type": "boolean"}
        case "number":
            made |= {"type": "integer"}
            made |= dict(zip(("minimum", "maximum"), field.bounds, strict=True)) if field.bounds else {}
    if field.default:
        made["default"] = field.default == "true" if field.kind == "switch" else field.default
    return made


def _text(field: Field) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string"}
    if field.choices:
        made["enum"] = list(field.choices)
    elif field.form:
        form = FORMS[field.form]
        made |= {"pattern": form.pattern} if form.pattern else {}
        made["examples"] = [form.example]
    return made
