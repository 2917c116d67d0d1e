"""Accounts in a template."""

import re

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Done, Scene, already, delivered, undeliverable
from vademecum.desks.composer.editing.passwords import hashed
from vademecum.desks.composer.image_template import Data
from vademecum.desks.composer.packages.distributions import FAMILIES
from vademecum.desks.composer.wish import Wish
from vademecum.text.patterns import Pattern

USERS = ("systemConfig", "users")
_RIGHT = Pattern(r"[a-zA-Z0-9_][a-zA-Z0-9._-]{0,31}", flags=re.ASCII)
_HASH = Pattern(r"\$(?:1|2[aby]|5|6|y|gy)\$[\w./$=,]{8,}", flags=0)
_ADMINS = {"deb": "sudo", "rpm": "wheel"}


def change_user(document: Document, wish: Wish, scene: Scene) -> Done:
    """A new account, or one that is changed, renamed or taken out."""
    if document.get("baseline", "mode") == "overlay" and wish.wanted and not _own(document):
        return undeliverable(document, wish, "an overlay keeps the accounts of the image it is put on.")
    if not wish.value and wish.detail("op") == "change":
        names = [str(one.get("name")) for one in _all(document, scene)]
        if len(names) != 1:
            return undeliverable(document, wish, "it is not said which account is meant.")
        wish = wish._replace(value=names[0])
    if not _RIGHT.fullmatch(wish.value):
        return undeliverable(
            document,
            wish,
            f"{wish.value[:40]!r} is not a valid name for an account: it takes up to 32 letters, digits, dots, hyphens and underscores.",
        )
    if not wish.wanted:
        return _removed(document, wish, scene)
    if wish.detail("op") == "only":
        return _only(document, wish, scene)
    if wish.detail("op") == "rename":
        return _renamed(document, wish, scene)
    return _with_groups(_changed(document, wish, scene), scene)


_SHELLS = frozenset(["zsh", "fish", "ksh", "tcsh"])
"""Shells that have a package of their own name, and are not there without it."""

_BROUGHT = {"docker": ("docker", "moby"), "libvirt": ("libvirt",), "lxd": ("lxd",)}
"""Groups that only a package brings, and how its name begins."""


def _with_groups(done: Done, scene: Scene) -> Done:
    """What came of an account: its shell is installed, and a group that nothing brings is asked about."""
    shell = done.outcome.wish.detail("shell").rpartition("/")[2]
    if done.outcome.is_met and shell in _SHELLS and shell not in scene.packages(done.document):
        done = Done(done.document.append(("systemConfig", "packages"), shell), done.outcome)
    asked = done.outcome.wish.detail("groups").split(",")
    there = scene.packages(done.document)
    for group in filter(_BROUGHT.__contains__, asked):
        if done.outcome.is_met and not any(name.startswith(_BROUGHT[group]) for name in there):
            why = f"{done.outcome.says} Nothing in the template brings the group {group}. Is {group} to be installed?"
            return Done(done.document, done.outcome._replace(state="asked back", says=why))
    return done


def _own(document: Document) -> list[Data]:
    found = document.get(*USERS)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _all(document: Document, scene: Scene) -> list[Data]:
    found = scene.section(document, "systemConfig").get("users")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _place(document: Document, name: str) -> int | None:
    found = document.get(*USERS)
    if not isinstance(found, list):
        return None
    return next(
        (at for at, one in enumerate(found) if isinstance(one, dict) and one.get("name") == name), None
    )


def _removed(document: Document, wish: Wish, scene: Scene) -> Done:
    at = _place(document, wish.value)
    if at is None:
        if any(one.get("name") == wish.value for one in _all(document, scene)):
            return undeliverable(
                document,
                wish,
                f"{wish.value} comes with the defaults, and a template cannot take inherited accounts out.",
            )
        return already(document, wish, f"There is no account {wish.value}.")
    done = document.remove(USERS) if len(document.get(*USERS)) == 1 else document.remove((*USERS, at))
    return delivered(done, wish, f"Removed the account {wish.value}.")


def _only(document: Document, wish: Wish, scene: Scene) -> Done:
    """Every account but one out."""
    if _place(document, wish.value) is None:
        return undeliverable(document, wish, f"there is no account {wish.value}.")
    gone = [str(one.get("name")) for one in _own(document) if one.get("name") != wish.value]
    if not gone:
        return already(document, wish, f"{wish.value} is the only account.")
    done = document
    for name in gone:
        at = _place(done, name)
        done = done.remove((*USERS, at)) if at is not None else done
    del scene
    return delivered(done, wish, f"Removed the accounts {', '.join(gone)}.")


def _renamed(document: Document, wish: Wish, scene: Scene) -> Done:
    old = wish.detail("old")
    if (
        old
        and _place(document, old) is None
        and len(_all(document, scene)) == 1
        and old.lower() in {"admin", "default", "login", "sudo", "only", "the"}
    ):
        old = ""
    names = [str(one.get("name")) for one in _all(document, scene)]
    if not old:
        if not names:
            return _changed(document, wish._replace(details={}), scene)
        if len(names) > 1:
            return undeliverable(
                document, wish, f"there are several accounts ({', '.join(names)}); say which one."
            )
        old = names[0]
    at = _place(document, old)
    if at is None:
        return undeliverable(document, wish, f"there is no account {old}.")
    if wish.value in names:
        return undeliverable(document, wish, f"there is an account {wish.value} already.")
    home = document.get(*USERS, at, "home")
    done = document.set((*USERS, at, "name"), wish.value)
    note = f" Its home is still {home}." if home else ""
    return delivered(done, wish, f"The account {old} is called {wish.value}.{note}")


def _changed(document: Document, wish: Wish, scene: Scene) -> Done:
    at = _place(document, wish.value)
    known = next((one for one in _all(document, scene) if one.get("name") == wish.value), None)
    fields = _fields(document, wish, known)
    if at is None:
        if wish.detail("op") == "change" and known is None and not scene.drafting:
            return undeliverable(document, wish, f"there is no account {wish.value}.")
        fields.pop("groups-off", None)
        if known is not None and all(known.get(key) == value for key, value in fields.items()):
            return already(document, wish, f"There is an account {wish.value} already.")
        done = document.append(USERS, {"name": wish.value, **fields})
        return delivered(done, wish, f"Added the account {wish.value}{_told(fields)}.")
    done = document
    off = fields.pop("groups-off", None)
    told = dict(fields)
    if isinstance(off, list):
        groups = document.get(*USERS, at, "groups") or []
        for name in [one for one in off if one in groups]:
            left = done.get(*USERS, at, "groups")
            done = done.remove((*USERS, at, "groups", left.index(name)))
            told["groups"] = []
        if done.get(*USERS, at, "groups") == []:
            done = done.remove((*USERS, at, "groups"))
    for key, value in fields.items():
        now = done.get(*USERS, at, key)
        if key == "groups" and isinstance(now, list) and isinstance(value, list):
            for name in value:
                if name not in now:
                    done = done.append((*USERS, at, "groups"), name)
        elif now != value:
            done = done.set((*USERS, at, key), value)
    if "sudo" in fields and fields["sudo"] is False:
        done = _without_admin_group(done, at)
    if done.text == document.text:
        return already(document, wish, f"The account {wish.value} is like that already.")
    return delivered(done, wish, f"Changed the account {wish.value}{_told(told)}.")


def _without_admin_group(document: Document, at: int) -> Document:
    for name in _ADMINS.values():
        groups = document.get(*USERS, at, "groups")
        if isinstance(groups, list) and name in groups:
            document = document.remove((*USERS, at, "groups", groups.index(name)))
    return document.remove((*USERS, at, "groups")) if document.get(*USERS, at, "groups") == [] else document


def _fields(document: Document, wish: Wish, known: Data | None) -> Data:
    """The fields of the account, as a template has them."""
    made: Data = {}
    if wish.secret is not None:
        plain = wish.secret.reveal()
        made["password"] = plain if _HASH.fullmatch(plain) else hashed(plain)
    if wish.detail("lock"):
        made["password"] = "!"  # noqa: S105 - which no password matches
    if groups := wish.detail("groups"):
        family = FAMILIES.get(str(document.get("target", "os")), "deb")
        made["groups"] = list(
            dict.fromkeys(_ADMINS[family] if one in _ADMINS.values() else one for one in groups.split(","))
        )
    if off := wish.detail("groups-off"):
        made["groups-off"] = off.split(",")
    if wish.detail("sudo"):
        made["sudo"] = wish.detail("sudo") == "yes"
    if wish.detail("shell"):
        made["shell"] = wish.detail("shell")
    if wish.detail("home"):
        made["home"] = wish.detail("home")
    if wish.detail("age"):
        made["passwordMaxAge"] = int(wish.detail("age"))
    del known
    order = ("password", "passwordMaxAge", "groups", "groups-off", "sudo", "shell", "home")
    return {key: made[key] for key in order if key in made}


def _told(fields: Data) -> str:
    """What was said of an account, without its password."""
    said = []
    for key, value in fields.items():
        if key == "password" and value == "!":
            said.append("locked")
        elif key == "password":
            said.append("a password, kept as a salted hash")
        elif key == "groups" and value:
            said.append(f"in {', '.join(value)}")
        elif key == "groups":
            said.append("out of the group")
        elif key == "sudo":
            said.append("with sudo" if value else "without sudo")
        elif key == "passwordMaxAge":
            said.append(f"a password for {value} days")
        else:
            said.append(f"{key} {value}")
    return f": {', '.join(said)}" if said else ""
