"""A change in a template's text changes one value, and not one other byte where that can be had."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.passwords import hashed
from vademecum.desks.composer.editing.yaml_text import document, scalar
from vademecum.desks.composer.image_template import parse_template
from vademecum.desks.composer.library import OURS

TEXT = """\
# A comment at the top.
image:
  name: one   # the name
  version: "1.0"

target: {os: debian, dist: debian13}

disk:
  name: main
  artifacts:
    -
      type: raw  # format
      compression: gz
    - type: vhdx
  size: 4GiB # 4G, too

systemConfig:
  name: minimal

  # Packages in groups.
  packages:
  # Docker
  - docker.io
  # Tools
  - curl
  - vim  # the editor
  users:
    - name: bob
      groups: ["sudo", adm]
  kernel:
    cmdline: 'quiet splash'
# The end.
"""


def changed_lines(before, after):
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


def test_a_scalar_is_replaced_in_its_place_and_keeps_its_quotes_and_comment():
    after = (
        Document.read(TEXT).set(("disk", "size"), "8GiB").set(("systemConfig", "kernel", "cmdline"), "quiet")
    )
    assert changed_lines(TEXT, after.text) == [
        "-   size: 4GiB # 4G, too",
        "+   size: 8GiB # 4G, too",
        "-     cmdline: 'quiet splash'",
        "+     cmdline: 'quiet'",
    ]


def test_an_item_is_added_to_a_list_that_is_no_further_in_than_its_key():
    after = Document.read(TEXT).append(("systemConfig", "packages"), "nginx")
    assert changed_lines(TEXT, after.text) == ["+   - nginx"]
    assert after.data["systemConfig"]["packages"] == ["docker.io", "curl", "vim", "nginx"]


def test_an_item_is_taken_out_and_the_comment_above_the_next_one_stays():
    after = Document.read(TEXT).remove(("systemConfig", "packages", 0))
    assert changed_lines(TEXT, after.text) == ["-   - docker.io"]
    assert "# Tools" in after.text


def test_a_list_in_brackets_stays_in_brackets():
    document = Document.read(TEXT)
    where = ("systemConfig", "users", 0, "groups")
    assert 'groups: ["sudo", adm, docker]' in document.append(where, "docker").text
    assert "groups: [adm]" in document.remove((*where, 0)).text
    assert 'groups: ["sudo"]' in document.remove((*where, 1)).text


def test_a_new_key_stands_where_a_person_looks_for_it():
    after = Document.read(TEXT).set(("systemConfig", "hostname"), "web")
    assert changed_lines(TEXT, after.text) == ["+   hostname: web"]
    assert after.text.index("name: minimal") < after.text.index("hostname") < after.text.index("# Packages")


def test_a_section_that_is_missing_is_made():
    after = Document.read(TEXT).append(
        ("packageRepositories",), {"codename": "x", "url": "https://example.org"}
    )
    assert list(after.data) == ["image", "target", "packageRepositories", "disk", "systemConfig"]
    assert len(changed_lines(TEXT, after.text)) == 4


def test_the_last_item_leaves_an_empty_list():
    document = Document.read(TEXT)
    for _ in range(3):
        document = document.remove(("systemConfig", "packages", 0))
    assert document.data["systemConfig"]["packages"] == []
    assert document.data["systemConfig"]["users"] == [{"name": "bob", "groups": ["sudo", "adm"]}]


def test_an_item_under_a_lonely_dash_is_taken_out_whole():
    after = Document.read(TEXT).remove(("disk", "artifacts", 0))
    assert after.data["disk"]["artifacts"] == [{"type": "vhdx"}]
    assert "    - type: vhdx" in after.text


def test_a_mapping_in_braces_is_changed_too():
    after = Document.read(TEXT).set(("target", "arch"), "aarch64").set(("target", "os"), "ubuntu")
    assert after.data["target"] == {"os": "ubuntu", "dist": "debian13", "arch": "aarch64"}
    assert "# The end." in after.text


def test_a_key_that_empties_its_mapping_takes_it_along():
    after = Document.read(TEXT).remove(("systemConfig", "kernel", "cmdline"))
    assert "kernel" not in after.data["systemConfig"]


def test_values_that_share_an_anchor_part_ways_only_where_they_are_changed():
    text = "image: &a\n  name: one\n  version: '1'\ntarget:\n  os: debian\nsystemConfig: *a\n"
    after = Document.read(text).set(("systemConfig", "name"), "two")
    assert after.data["image"]["name"] == "one"
    assert after.data["systemConfig"]["name"] == "two"


@pytest.mark.parametrize("path", sorted(OURS.rglob("*.yml")), ids=lambda path: path.stem)
def test_on_every_template_of_ours_one_change_is_one_line(path):
    text = path.read_text(encoding="utf-8")
    document = Document.read(text)
    assert document.text == text
    packages = document.get("systemConfig", "packages")
    assert changed_lines(text, document.append(("systemConfig", "packages"), "zzz").text) == ["+     - zzz"]
    assert changed_lines(text, document.remove(("systemConfig", "packages", len(packages) - 1)).text)[
        0
    ].startswith("- ")
    assert len(changed_lines(text, document.set(("image", "name"), "other").text)) == 2
    if "hostname" not in document.get("systemConfig"):
        assert changed_lines(text, document.set(("systemConfig", "hostname"), "web").text) == [
            "+   hostname: web"
        ]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(TEXTS)
def test_whatever_a_text_is_it_comes_back_as_that_text(text):
    whole = f"image:\n  name: {scalar(text)}\n  list:\n    - {scalar(text)}\n"
    found = parse_template(whole, "")
    assert found.data == {"image": {"name": text, "list": [text]}}


@given(st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcxyz_", min_size=1, max_size=6), inner, max_size=3),
    max_leaves=12,
))  # fmt: skip
def test_whatever_a_value_is_it_comes_back(value):
    assert parse_template(document({"a": value, "b": {"c": value}, "d": [value]}), "").data == {
        "a": value, "b": {"c": value}, "d": [value],
    }  # fmt: skip


def test_a_known_hash():
    wanted = (
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    )
    assert hashed("Hello world!", "saltstring") == wanted


def test_every_hash_has_a_salt_of_its_own():
    assert hashed("same") != hashed("same")
    assert hashed("same").startswith("$6$")
