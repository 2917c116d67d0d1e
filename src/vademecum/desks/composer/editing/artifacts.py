"""The output files of a build."""

from vademecum.desks.composer.editing.disk import put_disk
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Done, Scene, already, delivered, undeliverable
from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.image_template.template import copied
from vademecum.desks.composer.wish import Wish


def change_artifact(document: Document, wish: Wish, scene: Scene) -> Done:
    """The files that a build gives."""
    kind = str(document.get("target", "imageType") or "")
    if kind == "wsl2" and wish.wanted and wish.value in {"tar", "gz"}:
        return already(document, wish, "An image for WSL is a tar archive, compressed with gz.")
    if kind != "raw":
        return undeliverable(
            document, wish, f"an image of the type {kind} is not written as {wish.value or 'another file'}."
        )
    disk = scene.section(document, "disk")
    now = (
        [dict(one) for one in disk.get("artifacts", []) if isinstance(one, dict)]
        if isinstance(disk.get("artifacts"), list)
        else []
    )
    if wish.kind == "compression":
        made = [
            {key: value for key, value in one.items() if key != "compression"}
            | ({"compression": wish.value} if wish.value else {})
            for one in now
        ]
        says = f"The image is compressed with {wish.value}." if wish.value else "The image is not compressed."
        made = made or [{"type": "raw", **({"compression": wish.value} if wish.value else {})}]
    elif not wish.wanted:
        made = [one for one in now if one.get("type") != wish.value]
        if made == now:
            return already(document, wish, f"It is not written as {wish.value}.")
        made = made or [{"type": "raw"}]
        says = f"It is no longer written as {wish.value}."
    else:
        there = [one for one in now if one.get("type") == wish.value]
        new = dict(there[0]) if there else {"type": wish.value}
        if wish.detail("compression"):
            new["compression"] = wish.detail("compression")
        if wish.detail("compression") == "none":
            del new["compression"]
        if wish.detail("op") == "replace":
            made = [new]
        else:
            made = [new if one in there else one for one in now] + ([] if there else [new])
        says = f"It is written as {', '.join(str(one.get('type')) for one in made)}."
    if made == now and isinstance(document.get("disk", "artifacts"), list):
        return already(document, wish, "It is like that already.")
    if not isinstance(document.get("disk"), dict) and document.get("baseline", "mode") == "overlay":
        return delivered(document.set(("disk",), {"name": "overlay", "artifacts": made}), wish, says)
    changed = copied(disk)
    changed["artifacts"] = made
    if not changed.get("name"):
        changed["name"] = str(document.get("image", "name") or "disk")
    return delivered(_put_artifacts(document, changed), wish, says)


def _put_artifacts(document: Document, disk: Data) -> Document:
    """Write the artifacts alone, touching only those that change."""
    old = document.get("disk", "artifacts")
    if not isinstance(document.get("disk"), dict) or not isinstance(old, list):
        return (
            put_disk(document, disk)
            if not isinstance(document.get("disk"), dict)
            else document.set(("disk", "artifacts"), disk["artifacts"])
        )
    new = disk["artifacts"]
    if new[: len(old)] == old:
        for one in new[len(old) :]:
            document = document.append(("disk", "artifacts"), one)
        return document
    if len(new) == len(old):
        for at, (one, other) in enumerate(zip(new, old, strict=True)):
            for key in other.keys() - one.keys():
                document = document.remove(("disk", "artifacts", at, key))
            for key, value in one.items():
                if other.get(key) != value:
                    document = document.set(("disk", "artifacts", at, key), value)
        return document
    gone = [at for at, one in enumerate(old) if one not in new]
    if [one for one in old if one in new] == new:
        for at in reversed(gone):
            document = document.remove(("disk", "artifacts", at))
        return document
    return document.set(("disk", "artifacts"), new)
