"""Template fields without special rules, and files that are copied into the image."""

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Done, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template.model import field_at
from vademecum.desks.composer.wish import Wish

FILES = ("systemConfig", "additionalFiles")


def change_field(document: Document, wish: Wish, scene: Scene) -> Done:
    """A field by its path, such as `disk.selectionPolicy.requireEmpty`."""
    field = field_at(wish.value)
    if field is None:
        return undeliverable(document, wish, f"A template has no field {wish.value}.")
    if wish.value.startswith("disk.selectionPolicy") and document.get("target", "imageType") != "iso":
        return undeliverable(document, wish, "Only an installer picks the disk that it installs on.")
    path = tuple(wish.value.split("."))
    value: object = wish.detail("value") == "true" if field.kind == "switch" else wish.detail("value")
    if document.get(*path) == value:
        return already(document, wish, "It is like that already.")
    if path[0] == "disk" and not isinstance(document.get("disk"), dict):
        document = document.set(
            ("disk",), dict(scene.section(document, "disk")) or {"name": str(document.get("image", "name"))}
        )
    return delivered(document.set(path, value), wish, f"{wish.value} is {wish.detail('value')}.")


def change_file(document: Document, wish: Wish, scene: Scene) -> Done:
    """A file that is copied into the image."""
    del scene
    found = document.get(*FILES)
    rows = found if isinstance(found, list) else []
    at = next(
        (place for place, row in enumerate(rows) if isinstance(row, dict) and row.get("final") == wish.value),
        None,
    )
    if not wish.wanted:
        if at is None:
            return already(document, wish, f"No file is copied to {wish.value}.")
        done = document.remove(FILES) if len(rows) == 1 else document.remove((*FILES, at))
        return delivered(done, wish, f"No file is copied to {wish.value} any more.")
    local = wish.detail("local")
    says = f"{local} is copied to {wish.value}; keep it beside the template."
    if at is None:
        return delivered(document.append(FILES, {"local": local, "final": wish.value}), wish, says)
    if rows[at].get("local") == local:
        return already(document, wish, f"{local} is copied to {wish.value} already.")
    return delivered(document.set((*FILES, at, "local"), local), wish, says)
