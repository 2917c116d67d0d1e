"""Whether a template is valid: the tool's schema, with the usual library as the oracle, and what no schema can say."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.desks.composer.checking import check, is_valid
from vademecum.desks.composer.fixing import fix, fix_in_place
from vademecum.desks.composer.schema import FORMATS, SCHEMA, faults
from vademecum.sources.image_template import dump_tree, load_tree

TARGET = {"os": "debian", "dist": "debian13", "arch": "x86_64", "imageType": "raw"}
ROOT = {"id": "root", "type": "linux-root-amd64", "start": "513MiB", "end": "0", "mountPoint": "/"}
ESP = {
    "id": "esp",
    "type": "esp",
    "start": "1MiB",
    "end": "513MiB",
    "mountPoint": "/boot/efi",
    "flags": ["esp"],
}


def template(**more):
    return {
        "image": {"name": "x", "version": "1.0"},
        "target": TARGET,
        "disk": {"name": "d", "size": "4GiB", "partitions": [ESP, ROOT]},
        "systemConfig": {"name": "s", "packages": ["nginx"]},
    } | more


def partitions(*rows, size="4GiB"):
    return template(disk={"name": "d", "size": size, "partitions": list(rows)})


@pytest.fixture
def kinds(ours):
    """The kinds of what is amiss, each with its place."""

    def found(data, severity=None):
        return [
            (one.kind, one.where) for one in check(data, library=ours) if severity in {None, one.severity}
        ]

    return found


def test_a_plain_template_is_clean(kinds):
    assert kinds(template()) == []


@pytest.mark.parametrize(
    ("change", "where", "said"),
    [
        ({"image": {"name": "x"}}, "image", "lacks version"),
        ({"image": {"name": "-x", "version": "1"}}, "image.name", "not written as it must be"),
        ({"image": {"name": "x\n", "version": "1"}}, "image.name", "not written as it must be"),
        (
            {"image": {"name": "x", "version": 1.0}},
            "image.version",
            "must be a text, not 1.0. Put it in quotes.",
        ),
        ({"target": TARGET | {"arch": "x86-64"}}, "target.arch", "Did you mean x86_64?"),
        ({"target": TARGET | {"dist": "debian12"}}, "target.dist", "must be one of debian13"),
        ({"target": TARGET | {"imageType": "qcow2"}}, "target.imageType", "raw, img, iso, wsl2"),
        ({"packages": ["x"]}, "packages", "is no field here"),
        ({"systemConfig": {"package": ["x"]}}, "systemConfig.package", "Did you mean packages?"),
        ({"systemConfig": {"packages": ["a", "a"]}}, "systemConfig.packages.1", "stands in the list before"),
        (
            {"systemConfig": {"packages": ["a; rm -rf /"]}},
            "systemConfig.packages.0",
            "not written as it must be",
        ),
        ({"systemConfig": {"packages": "a"}}, "systemConfig.packages", "must be a list"),
        ({"systemConfig": []}, "systemConfig", "must be a mapping, not a list"),
        ({"systemConfig": {"hostname": True}}, "systemConfig.hostname", "must be a text, not true"),
        ({"disk": {"size": "4GiB"}}, "disk", "lacks name"),
        ({"disk": {"name": "d", "artifacts": [{"type": "zip"}]}}, "disk.artifacts.0.type", "must be one of"),
        ({"disk": {"name": "d", "artifacts": [{"type": "tar"}]}}, "disk.artifacts.0.type", "not allowed"),
        (
            {"packageRepositories": [{"codename": "a", "url": "not a uri", "pkey": "/k"}]},
            "packageRepositories.0.url",
            "uri",
        ),
        (
            {"packageRepositories": [{"codename": "a", "path": "/a"}]},
            "packageRepositories.0",
            "pkey or pkeys",
        ),
        ({"baseline": {"mode": "overlay"}}, "baseline", "lacks source"),
        (
            {"systemConfig": {"fde": {"enabled": True}}},
            "systemConfig.fde",
            "lacks passphraseFile",
        ),
        (
            {"systemConfig": {"network": {"interfaces": [{"name": "e0", "addresses": ["10.0.0.300/24"]}]}}},
            "systemConfig.network.interfaces.0.addresses.0",
            "ipv4-cidr",
        ),
        (
            {
                "systemConfig": {
                    "network": {"interfaces": [{"name": "e0", "dhcp4": True, "addresses": ["10.0.0.3/24"]}]}
                }
            },
            "systemConfig.network.interfaces.0.addresses",
            "must be empty",
        ),
    ],
)
def test_what_the_schema_forbids(change, where, said, ours):
    found = check(template(**change), library=ours)
    assert not is_valid(found)
    assert any(one.where == where and said in one.message for one in found), found


def test_a_password_is_never_repeated(ours):
    plain = "hunter2-is-mine"
    for password in (plain, [plain], 12345):
        data = template(systemConfig={"users": [{"name": "u", "password": password}]})
        said = " ".join(one.message for one in check(data, library=ours))
        assert "password" in said
        assert plain not in said
        assert "12345" not in said


@pytest.mark.parametrize(
    ("data", "kind", "where"),
    [
        (partitions(ESP, ROOT | {"start": "100MiB"}), "partition-overlap", "disk.partitions.1.start"),
        (partitions(ESP, ROOT | {"end": "5GiB"}), "partition-past-end", "disk.partitions.1.end"),
        (partitions(ESP, ROOT, size="256MiB"), "partition-past-end", "disk.partitions.1.start"),
        (partitions(ESP, ROOT | {"end": "513MiB"}), "partition-order", "disk.partitions.1.end"),
        (
            partitions(ROOT, ESP | {"start": "1GiB", "end": "2GiB"}),
            "partition-overlap",
            "disk.partitions.0.end",
        ),
        (partitions(ESP, ROOT | {"mountPoint": "/srv"}), "no-root", "disk.partitions"),
        (partitions(ROOT), "no-esp", "disk.partitions"),
        (partitions(ESP, ROOT | {"id": "esp"}), "duplicate-partition", "disk.partitions.1.id"),
        (partitions(ESP, ROOT | {"start": "half"}), "size", "disk.partitions.1.start"),
        (partitions(ESP, ROOT, size="big"), "size", "disk.size"),
        (template(overlayPolicy={"packageOperation": "additive-only"}), "overlay-forbidden", "overlayPolicy"),
        (
            template(systemConfig={"fde": {"enabled": True, "passphraseFile": "p", "partitions": ["home"]}}),
            "encryption",
            "systemConfig.fde.partitions.0",
        ),
        (
            template(systemConfig={"fde": {"enabled": True, "passphraseFile": "p", "partitions": ["esp"]}}),
            "encryption",
            "systemConfig.fde.partitions",
        ),
        (
            template(systemConfig={"users": [{"name": "u"}, {"name": "u"}]}),
            "duplicate-user",
            "systemConfig.users.1.name",
        ),
        (template(extends="gone.yml"), "extends", "extends"),
        (
            template(
                baseline={"mode": "overlay", "source": {"path": "/x.img"}},
                disk={"name": "d", "artifacts": [{"type": "qcow2"}]},
                systemConfig={"kernel": {"cmdline": "quiet"}},
            ),
            "overlay-forbidden",
            "systemConfig.kernel",
        ),
    ],
)
def test_what_does_not_fit_together(data, kind, where, kinds):
    assert (kind, where) in kinds(data, "error")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (template(systemConfig={"immutability": {"enabled": True}}), "immutability"),
        (template(systemConfig={"kernel": {"version": "6.12.74"}}), "kernel-pin"),
        (template(systemConfig={"users": [{"name": "u", "password": "changeme"}]}), "password"),
        (
            template(packageRepositories=[{"codename": "a", "url": "<URL>", "pkey": "<PUBLIC_KEY_URL>"}]),
            "placeholder",
        ),
        (
            template(packageRepositories=[{"codename": "a", "url": "https://a.example/r", "pkey": "/k"}] * 2),
            "duplicate-repository",
        ),
    ],
)
def test_what_is_better_otherwise(data, kind, kinds, ours):
    assert kind in dict(kinds(data, "warning"))
    assert is_valid(check(data, library=ours))


@pytest.mark.parametrize("password", ["$6$salt$hash", "$y$j9T$x$y", "!", "*", "", "<HASH>"])
def test_no_plain_password(password, kinds):
    found = dict(kinds(template(systemConfig={"users": [{"name": "u", "password": password}]})))
    assert "password" not in found


def test_partitions_that_touch_or_are_rounded_do_not_overlap(kinds):
    assert kinds(partitions(ESP | {"end": "513MB"}, ROOT)) == []
    assert kinds(partitions(ESP | {"end": "514MiB"}, ROOT)) == []


def test_a_parents_faults_are_told(ours):
    parent = "debian13-x86_64-server-raw.yml"
    data = {"extends": parent, "image": {"name": "x", "version": "1"}, "target": TARGET}
    assert check(data, library=ours) == []
    data["systemConfig"] = {"fde": {"enabled": True, "passphraseFile": "p", "partitions": ["gone"]}}
    assert [one.kind for one in check(data, library=ours)] == ["encryption"]


# --- the oracle -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def oracle():
    """The usual library on the very schema, our formats given to it."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_bytes())
    checker = jsonschema.FormatChecker(formats=())
    for name, test in FORMATS.items():
        checker.checks(name)(lambda value, test=test: not isinstance(value, str) or test(value))
    return {
        name: jsonschema.Draft202012Validator(
            {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}, format_checker=checker
        )
        for name in ("UserTemplate", "FullTemplate")
    }


@pytest.mark.oracle
def test_the_oracle_agrees_on_real_templates(oracle, real, ours):
    for entry in (*real.templates, *ours.templates):
        for name, data in (("UserTemplate", entry.template.data), ("FullTemplate", entry.resolved.data)):
            assert faults(data, name) == []
            assert oracle[name].is_valid(data)


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 99999)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["", "raw", "x86_64", "<URL>", "http://a.example", "10.0.0.1/8", "::1", "a b", "/x", "wsl2", "tar"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "type", "enabled", "size", "url", "x", "packages"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@pytest.mark.oracle
@given(st.data())
def test_the_oracle_agrees_on_broken_templates(oracle, ours, data):
    """Any of our templates with some values replaced, added or taken out."""
    broken = copy.deepcopy(data.draw(st.sampled_from(ours.templates)).template.data)
    for _ in range(data.draw(st.integers(1, 3))):
        holder = broken
        for _ in range(data.draw(st.integers(0, 4))):
            inner = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            inner = [key for key in inner if isinstance(holder[key], dict | list) and holder[key]]
            if not inner:
                break
            holder = holder[data.draw(st.sampled_from(inner))]
        key = data.draw(
            st.sampled_from(list(holder) if isinstance(holder, dict) else list(range(len(holder))))
        )
        if data.draw(st.booleans()):
            holder[key] = data.draw(JUNK)
        elif isinstance(holder, dict) and data.draw(st.booleans()):
            holder[data.draw(st.sampled_from(["extra", "url", "fde", "source", "partitions"]))] = data.draw(
                JUNK
            )
        elif len(holder) > 1:
            del holder[key]
    found = faults(broken, "UserTemplate")
    assert bool(found) == (not oracle["UserTemplate"].is_valid(broken)), (broken, found)


@given(JUNK)
def test_no_value_raises(ours, value):
    data = (
        value
        if isinstance(value, dict)
        else {"image": value, "target": value, "disk": value, "systemConfig": value}
    )
    found = check(data, library=ours)
    assert fix(data, found)


# --- mending ----------------------------------------------------------------------------------------------------------


def test_mending():
    text = """\
# kept
metadata:
  useCase: edge   # kept, too
  keywords: a, b
image:
  name: x
  version: 24.04
target: {os: debian, dist: debian13, arch: amd64, imageType: RAW}
systemconfig:
  packages:
    - nginx
    - jq   # beside
    - nginx
"""
    tree = load_tree(text)
    from vademecum.desks.composer.library import TemplateLibrary

    library = TemplateLibrary.open()
    done = fix_in_place(tree, check(tree, library=library))
    done += fix_in_place(tree, check(tree, library=library))
    assert check(tree, library=library) == []
    assert {one.where for one in done} == {
        "image.version",
        "metadata.keywords",
        "metadata.useCase",
        "systemConfig.packages.2",
        "systemconfig",
        "target.arch",
        "target.imageType",
    }
    mended = dump_tree(tree)
    assert tree["metadata"]["use_cases"] == ["edge"]
    assert tree["systemConfig"]["packages"] == ["nginx", "jq"]
    assert tree["image"]["version"] == "24.04"
    assert "# kept" in mended
    assert "# beside" in mended


def test_mending_twice_changes_nothing_more(ours):
    data = template(metadata={"keywords": "a, b"}, target=TARGET | {"arch": "AMD64"})
    once, done = fix(data, check(data, library=ours))
    twice, none = fix(once, check(once, library=ours))
    assert (once, none) == (twice, [])
    assert len(done) == 2
    assert data["target"]["arch"] == "AMD64"  # the original is as it was


def test_what_needs_thought_is_left(ours):
    data = partitions(ESP, ROOT | {"end": "5GiB"})
    mended, done = fix(data, check(data, library=ours))
    assert (mended, done) == (data, [])


@pytest.mark.parametrize(
    "data",
    [
        template(systemConfig={"packages": [f"p{at}" for at in range(15_000)] * 2}),
        template(systemConfig={"users": [{"name": f"u{at}"} for at in range(5_000)]}),
        template(
            packageRepositories=[{"codename": f"r{at}", "path": "/r", "pkey": "/k"} for at in range(5_000)]
        ),
        partitions(*({"id": f"p{at}", "start": "1MiB", "end": "2MiB"} for at in range(5_000))),
    ],
    ids=["packages", "users", "repositories", "partitions"],
)
def test_a_great_many_of_anything_is_checked_at_once(data, ours):
    check(data | {"extends": "debian13-x86_64-server-raw.yml"}, library=ours)
