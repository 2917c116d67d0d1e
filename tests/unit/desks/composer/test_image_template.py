"""Image templates: read safely with the line of every value, merged with their parents, and what they then are."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.core.documents import Problem
from vademecum.desks.composer.image_template import (
    Template,
    dump_tree,
    facts_of,
    load_tree,
    parse_template,
    resolve,
    size_bytes,
)
from vademecum.desks.composer.image_template.parse import MOST_BYTES

SMALL = """\
# A small image
# for tests.

metadata:
  keywords: [a, "b c"]   # beside it
image:
  name: small
  version: "1.0"
target: {os: debian, dist: debian13, arch: x86_64, imageType: raw}
systemConfig:
  packages:
    - one

    # about two
    - two
"""


def read(text, file="small.yml"):
    found = parse_template(text, file)
    assert isinstance(found, Template), found
    return found


def test_a_template_has_values_lines_and_comments():
    template = read(SMALL, "a/small.yml")
    assert (template.name, template.stem) == ("small.yml", "small")
    assert template.data["systemConfig"]["packages"] == ["one", "two"]
    assert template.data["metadata"]["keywords"] == ["a", "b c"]
    assert template.comments == ("A small image for tests.", "about two")
    assert template.line_of("") == 4
    assert template.line_of("image.name") == 7
    assert template.line_of("systemConfig.packages.1") == 15
    assert template.line_of("systemConfig.packages.7") == 11  # what is around it
    assert template.line_of("nowhere.at.all") == 4


def test_scalars_are_those_that_the_tool_reads():
    text = 'a: no\nb: on\nc: true\nd: 010\ne: 0o10\nf: 1.5\ng: ~\nh: "1"\ni: 24.04\nj: 0x1f\nk: .5\nl: 12:30\nm: 2026-01-01\nn: -3\no: 0b11\np: 1_000\nq: 08x'
    assert read(text).data == {
        "a": "no",
        "b": "on",
        "c": True,
        "d": 8,
        "e": 8,
        "f": 1.5,
        "g": None,
        "h": "1",
        "i": 24.04,
        "j": 31,
        "k": 0.5,
        "l": "12:30",
        "m": "2026-01-01T00:00:00Z",
        "n": -3,
        "o": 3,
        "p": 1000,
        "q": "08x",
    }


def test_tags_create_no_objects():
    text = "a: !!python/object/apply:os.system ['true']\nb: !include other.yml\nc: !!str 3\nd: !!binary aGk=\ne: !!float 1\n"
    assert read(text).data == {"a": ["true"], "b": "other.yml", "c": "3", "d": "hi", "e": 1.0}


def test_only_the_first_document_counts():
    found = read("a: 1\n# kept\n---\nb: [\n")
    assert found.data == {"a": 1}
    assert found.text == "a: 1\n# kept\n"


def test_references_and_merge_keys_are_followed():
    text = "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\nc: *x\nd: {<<: [*x, {r: 4}]}\n"
    assert read(text).data == {
        "a": {"p": 1, "q": 2},
        "b": {"p": 1, "q": 3},
        "c": {"p": 1, "q": 2},
        "d": {"p": 1, "q": 2, "r": 4},
    }


def test_marks_and_ends_of_lines_do_not_matter():
    assert read("\ufeff" + SMALL.replace("\n", "\r\n")).data == read(SMALL).data


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "fault", "said"),
    [
        ("image:\n\tname: x\n", "tab", "line 2: it is indented with a tab"),
        ("image:\n  name: x\n \t version: 1\n", "tab", "line 3"),
        ("image: {}\ntarget: {}\nimage: {}\n", "duplicate-key", "line 3: image is set a second time"),
        ("a:\n  b: 1\n  b: 2\n", "duplicate-key", "line 3: b"),
        (BOMB, "too-many-values", "values"),
        ("a: !!binary '%%%'\n", "tag", "!!binary"),
        ("a: !!int x\n", "tag", "x is not a value for !!int"),
        ("a: .nan\n", "number", ".nan"),
        ("%YAML 1.2\n---\na: 1\n", "not-yaml", "%YAML 1.2"),
        ("{1: a}\n", "key", "must be a text"),
        ("{2024-01-01: a}\n", "key", "must be a text"),
        ("a: *b\n", "unknown-reference", "*b refers to nothing"),
        ("a: &a [*a]\n", "unknown-reference", "*a"),
        ("a: [" * 40 + "\n", "too-deep", "nested deeper"),
        ("- a\n- b\n", "no-mapping", "no fields"),
        ("just words\n", "no-mapping", "no fields"),
        ("", "empty", "empty"),
        ("# only words\n", "empty", "empty"),
        ("a: b: c\n", "not-yaml", "line 1"),
        ("a: 'x\n", "not-yaml", "YAML"),
        ("a: \x01\n", "not-yaml", ""),
        ("a: \ud800\n", "not-yaml", ""),
        ("{a: 1}: 2\n", "key", "must be a text"),
        ("a: {<<: 3}\n", "merge", "takes a mapping"),
        ("x" * (MOST_BYTES + 1), "too-large", "1,048,577 bytes"),
    ],
)
def test_bad_text_is_a_problem_with_its_line(text, fault, said):
    found = parse_template(text, "bad.yml")
    assert isinstance(found, Problem)
    assert (found.place, found.fault) == ("bad.yml", fault)
    assert said in found.message
    assert found.hint


@given(st.text(alphabet=st.sampled_from("abc:-[]{}&*!|>'\"# \n\t1<,?%@`\0\ud800é"), max_size=60))
def test_no_text_raises(text):
    assert isinstance(parse_template(text, "any.yml"), Template | Problem)


def test_a_tree_keeps_comments_order_and_quotes():
    tree = load_tree(SMALL)
    tree["systemConfig"]["packages"].append("three")
    assert load_tree("a: !!python/object:os.system {}\n").fault == "tag"
    assert load_tree(BOMB).fault == "too-many-values"
    changed = dump_tree(tree)
    assert [line for line in changed.split("\n") if line not in SMALL.split("\n")] == ["    - three"]
    assert [line for line in SMALL.split("\n") if line not in changed.split("\n")] == []


# --- merging ----------------------------------------------------------------------------------------------------------

TARGET = {"os": "ubuntu", "dist": "ubuntu24", "arch": "x86_64", "imageType": "raw"}


def resolved(*layers, defaults=None):
    """The last of some templates, each of which extends the one before it."""
    found = {}
    for at, data in enumerate(layers):
        extends = {"extends": f"{at - 1}.yml"} if at else {}
        found[f"{at}.yml"] = Template(file=f"{at}.yml", text="", data={"target": TARGET} | extends | data)

    def lookup(child, reference):
        file = posixpath.join(posixpath.dirname(child.file), reference)
        return found.get(file) or Problem(place=child.file, fault="missing", message="There is none.")

    base = None if defaults is None else Template(file="default.yml", text="", data=defaults)
    return resolve(found[f"{len(layers) - 1}.yml"], lookup, lambda _target: base)


def test_packages_are_an_ordered_union_and_nothing_is_removed():
    merged = resolved(
        {"systemConfig": {"packages": ["b", "c"]}},
        {"systemConfig": {"packages": ["d", "b"]}},
        defaults={"systemConfig": {"packages": ["a", "b"]}},
    )
    assert merged.data["systemConfig"]["packages"] == ["a", "b", "c", "d"]
    assert merged.chain == ("default.yml", "0.yml", "1.yml")
    assert "extends" not in merged.data


def test_a_kernel_is_replaced_field_by_field_and_its_packages_as_one_list():
    merged = resolved(
        {"systemConfig": {"kernel": {"version": "6.8"}}},
        {"systemConfig": {"kernel": {"packages": ["linux-rt"]}}},
        defaults={"systemConfig": {"kernel": {"cmdline": "quiet", "packages": ["linux", "linux-modules"]}}},
    )
    assert merged.data["systemConfig"]["kernel"] == {
        "version": "6.8",
        "cmdline": "quiet",
        "packages": ["linux-rt"],
    }


def test_a_disk_replaces_the_whole_disk():
    merged = resolved(
        {"disk": {"name": "mine", "size": "8GiB"}},
        defaults={"disk": {"name": "usual", "partitions": [{"id": "root"}]}},
    )
    assert merged.data["disk"] == {"name": "mine", "size": "8GiB"}


def test_metadata_is_not_inherited():
    parent = {"metadata": {"keywords": ["docker"]}}
    assert "metadata" not in resolved(parent, {}).data
    assert resolved(parent, {"metadata": {"keywords": ["own"]}}).data["metadata"] == {"keywords": ["own"]}


def test_users_files_and_repositories_are_merged_by_name():
    merged = resolved(
        {
            "systemConfig": {
                "users": [{"name": "root", "startupScript": "/a"}, {"name": "eve", "groups": ["x"]}],
                "additionalFiles": [{"local": "a", "final": "/etc/a"}],
                "configurations": [{"cmd": "one"}],
            },
            "packageRepositories": [{"codename": "r", "url": "https://a.example"}],
        },
        {
            "systemConfig": {
                "users": [{"name": "eve", "groups": ["y"], "shell": "/bin/sh"}, {"name": "bob"}],
                "additionalFiles": [{"local": "b", "final": "/etc/a"}, {"local": "c", "final": "/etc/c"}],
                "configurations": [{"cmd": "one"}],
            },
            "packageRepositories": [
                {"codename": "s", "path": "/s"},
                {"codename": "r", "url": "https://b.example"},
            ],
        },
    ).data
    assert merged["systemConfig"]["users"] == [
        {"name": "root", "startupScript": "/a"},
        {"name": "eve", "groups": ["x", "y"], "shell": "/bin/sh"},
        {"name": "bob"},
    ]
    assert [one["local"] for one in merged["systemConfig"]["additionalFiles"]] == ["b", "c"]
    assert merged["systemConfig"]["configurations"] == [{"cmd": "one"}, {"cmd": "one"}]
    assert [one.get("url") for one in merged["packageRepositories"]] == ["https://b.example", None]


def test_an_overlay_gets_no_defaults():
    overlay = {
        "baseline": {"mode": "overlay", "source": {"path": "/x.img"}},
        "systemConfig": {"packages": ["jq"]},
    }
    merged = resolved(overlay, {"systemConfig": {"packages": ["tree"]}}, defaults={"disk": {"name": "d"}})
    assert merged.data["systemConfig"]["packages"] == ["jq", "tree"]
    assert "disk" not in merged.data
    assert merged.has_defaults
    assert facts_of(merged).overlay


def test_merging_changes_no_layer():
    base = {"systemConfig": {"packages": ["a"], "kernel": {"packages": ["k"]}}}
    merged = resolved({"systemConfig": {"packages": ["b"]}}, defaults=base)
    merged.data["systemConfig"]["packages"].append("z")
    merged.data["systemConfig"]["kernel"]["packages"].append("z")
    assert base == {"systemConfig": {"packages": ["a"], "kernel": {"packages": ["k"]}}}


def test_a_circle_is_named():
    one = Template(file="one.yml", text="", data={"target": TARGET, "extends": "two.yml"})
    two = Template(file="two.yml", text="", data={"target": TARGET, "extends": "one.yml"})
    found = resolve(
        one, lambda _child, reference: {"one.yml": one, "two.yml": two}[reference], lambda _: None
    )
    (fault,) = found.problems
    assert (fault.fault, "one.yml -> two.yml -> one.yml" in fault.message) == ("circle", True)


def test_a_parent_of_another_target_is_named_and_not_merged():
    parent = {"target": TARGET | {"arch": "aarch64"}, "systemConfig": {"packages": ["x"]}}
    found = resolved(parent, {})
    assert [one.fault for one in found.problems] == ["other-target"]
    assert "systemConfig" not in found.data


def test_a_chain_without_end_ends():
    layers = [{} for _ in range(40)]
    assert [one.fault for one in resolved(*layers).problems] == ["too-many-parents"]


@pytest.mark.parametrize("extends", [3, ["a"], {"a": 1}])
def test_extends_of_a_wrong_kind_is_named(extends):
    assert [one.fault for one in resolved({"extends": extends}).problems] == ["extends"]


@pytest.mark.parametrize(
    "data",
    [
        {"systemConfig": 3, "disk": [], "image": "x", "packageRepositories": {"a": 1}},
        {
            "systemConfig": {"packages": {"a": 1}, "users": ["x", 3], "kernel": "k", "network": []},
            "disk": "d",
        },
        {"systemConfig": None, "target": [], "baseline": "overlay", "metadata": 7},
        {"disk": {"partitions": [None, 3, {"id": ["x"], "end": {}}], "artifacts": "raw", "size": []}},
    ],
)
def test_values_of_wrong_kinds_merge_and_have_facts(data):
    usual = {
        "systemConfig": {"packages": ["a"], "users": [{"name": "u"}], "kernel": {"cmdline": "q"}},
        "packageRepositories": [{"codename": "c"}],
        "disk": {"size": "1GiB"},
    }
    for layers in ((data,), (usual, data), (data, usual)):
        facts = facts_of(resolved(*layers, defaults=usual))
        assert all(isinstance(one, str) for one in facts.packages)


# --- facts ------------------------------------------------------------------------------------------------------------


def facts(defaults=None, **data):
    return facts_of(resolved(data, defaults=defaults or {}))


def test_a_read_only_root_needs_a_place_for_its_hashes():
    on = {"immutability": {"enabled": True}}
    hashes = {"partitions": [{"id": "roothashmap", "type": "linux", "mountPoint": "none"}]}
    assert facts(systemConfig=on, disk=hashes).read_only_root
    assert not facts(systemConfig=on, disk={"partitions": [{"id": "root"}]}).read_only_root
    assert not facts(systemConfig={"immutability": {"enabled": False}}, disk=hashes).read_only_root
    assert facts(defaults={"systemConfig": on, "disk": hashes}).read_only_root


def test_facts_of_disk_and_boot():
    found = facts(
        disk={
            "size": "8GiB",
            "partitionTableType": "gpt",
            "extendLastPartitionToFillDisk": True,
            "selectionPolicy": {"strategy": "largest"},
            "artifacts": [{"type": "qcow2", "compression": "zstd"}, {"type": "raw"}],
            "partitions": [
                {"id": "esp", "type": "esp", "start": "1MiB", "end": "513MiB", "mountPoint": "/boot/efi"},
                {"id": "swap", "type": "linux-swap", "start": "513MiB", "end": "1GiB"},
                {
                    "id": "root",
                    "type": "linux",
                    "start": "1GiB",
                    "end": "0",
                    "mountPoint": "/",
                    "fsType": "ext4",
                },
            ],
        },
        systemConfig={
            "bootloader": {"bootType": "efi", "provider": "grub2"},
            "fde": {"enabled": True, "partitions": ["root"]},
            "kernel": {"version": 6.12, "cmdline": "quiet splash", "packages": ["linux-image-rt-amd64"]},
            "hostname": "h",
            "users": [{"name": "u"}],
            "network": {"backend": "netplan", "interfaces": [{"name": "e0", "addresses": ["10.0.0.2/24"]}]},
        },
        packageRepositories=[{"codename": "c", "url": "<URL>"}],
    )
    assert (found.disk_size_bytes, found.swap, found.grows, found.picks_disk) == (
        8 << 30,
        True,
        True,
        "largest",
    )
    assert found.artifacts == (("qcow2", "zstd"), ("raw", ""))
    assert [one.end_bytes for one in found.partitions] == [513 << 20, 1 << 30, None]
    assert [one.to_end for one in found.partitions] == [False, False, True]
    assert (found.boot_type, found.boot_loader, found.uki) == ("efi", "grub", False)
    assert (found.encrypted, found.encrypted_partitions, found.unlock) == (True, ("root",), "auto")
    assert (found.kernel_version, found.kernel_options) == ("6.12", ("quiet", "splash"))
    assert (found.hostname, found.users, found.network, found.placeholders) == ("h", ("u",), "netplan", True)
    assert found.interfaces[0].addresses == ("10.0.0.2/24",)
    assert (found.distribution, found.version) == ("ubuntu", "ubuntu24")


def test_without_defaults_facts_say_what_is_unresolved():
    found = facts_of(resolved({"systemConfig": {"packages": ["x"], "kernel": {"version": "6"}}}))
    assert {"packages", "partitions", "boot_loader", "read_only_root"} <= set(found.unresolved)
    assert "kernel_packages" not in found.unresolved
    assert facts_of(resolved({}, defaults={"disk": {}})).unresolved == ()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GiB", 4 << 30),
        ("4G", 4 << 30),
        ("4096 MiB", 4 << 30),
        ("512MB", 512_000_000),
        ("1.5GiB", 3 << 29),
        ("101", 101),
        (100, 100),
        ("1tib", 1 << 40),
        ("rest", None),
        ("", None),
        ("-1GiB", None),
        ("4 GiB GiB", None),
        (True, None),
        (None, None),
        ("9" * 400, None),
    ],
)
def test_reads_sizes(text, size):
    assert size_bytes(text) == size
