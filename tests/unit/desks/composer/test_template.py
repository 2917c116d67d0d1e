"""Whether a template is valid: the tool's verdicts and its schema are the oracles, and what neither of them notices."""

import copy
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.desks.composer.image_template import Template, dump_tree, load_tree
from vademecum.desks.composer.image_template.model import FIELDS, field_at, fields_by_path
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.template.check import check, check_resolved, is_sound, is_valid
from vademecum.desks.composer.template.fixes import fix, fix_in_place
from vademecum.desks.composer.template.forms import FORMS
from vademecum.desks.composer.template.schema import json_schema
from vademecum.desks.composer.template.validate import validate

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


LATE_ESP = ESP | {"start": "1GiB", "end": "2GiB"}


def template(**more):
    return {
        "image": {"name": "x", "version": "1.0"},
        "target": TARGET,
        "disk": {"name": "d", "size": "4GiB", "partitions": [ESP, ROOT]},
        "systemConfig": {"name": "s", "packages": ["nginx"]},
    } | more


def partitions(*rows, size="4GiB"):
    return template(disk={"name": "d", "size": size, "partitions": list(rows)})


def system(**config):
    return {"systemConfig": config}


INTERFACES = "systemConfig.network.interfaces.0"


def interface(**fields):
    return system(network={"interfaces": [fields]})


def artifact(kind):
    return {"disk": {"name": "d", "artifacts": [{"type": kind}]}}


def repository(*, count=1, **fields):
    return {"packageRepositories": [{"codename": "a"} | fields] * count}


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
    ("change", "where", "named"),
    [
        ({"image": {"name": "x"}}, "image", "version"),
        ({"image": {"name": "-x", "version": "1"}}, "image.name", "letters"),
        ({"image": {"name": "x\n", "version": "1"}}, "image.name", "edge-node"),
        ({"image": {"name": "x", "version": 1.0}}, "image.version", "quotes"),
        ({"target": TARGET | {"arch": "x86-64"}}, "target.arch", "x86_64?"),
        ({"target": TARGET | {"dist": "debian12"}}, "target.dist", "debian13"),
        ({"target": TARGET | {"imageType": "qcow2"}}, "target.imageType", "raw, img, iso, wsl2"),
        ({"packages": ["x"]}, "packages", "field"),
        (system(package=["x"]), "systemConfig.package", "packages?"),
        (system(packages=["a", "a"]), "systemConfig.packages.1", "twice"),
        (system(packages=["a; rm -rf /"]), "systemConfig.packages.0", "name"),
        (system(packages="a"), "systemConfig.packages", "list"),
        ({"systemConfig": []}, "systemConfig", "mapping"),
        (system(hostname=True), "systemConfig.hostname", "true"),
        ({"disk": {"size": "4GiB"}}, "disk", "name"),
        (artifact("zip"), "disk.artifacts.0.type", "one of"),
        (artifact("tar"), "disk.artifacts.0.type", "WSL2"),
        (repository(url="not a uri", pkey="/k"), "packageRepositories.0.url", "URL"),
        (repository(path="/a"), "packageRepositories.0", "pkeys"),
        ({"baseline": {"mode": "overlay"}}, "baseline", "baseline.source"),
        (system(fde={"enabled": True}), "systemConfig.fde", "passphraseFile"),
        (interface(name="e0", addresses=["10.0.0.300/24"]), f"{INTERFACES}.addresses.0", "192.168.1.10/24"),
        (interface(name="e0", dhcp4=True, addresses=["10.0.0.3/24"]), f"{INTERFACES}.addresses", "DHCP"),
    ],
)
def test_refuses_what_the_tool_refuses(change, where, named, ours):
    found = check(template(**change), library=ours)
    assert not is_valid(found)
    assert any(one.where == where and named in one.message for one in found), found


def test_a_password_is_never_repeated(ours):
    plain = "hunter2-is-mine"
    for password in (plain, [plain], 12345):
        data = template(systemConfig={"users": [{"name": "u", "password": password}]})
        said = " ".join(one.message for one in check(data, library=ours))
        assert "password" in said
        assert plain not in said
        assert "12345" not in said


def encrypted(partition):
    return template(systemConfig={"fde": {"enabled": True, "passphraseFile": "p", "partitions": [partition]}})


@pytest.mark.parametrize(
    ("data", "kind", "where"),
    [
        (partitions(ESP, ROOT | {"start": "100MiB"}), "partition-overlap", "disk.partitions.1.start"),
        (partitions(ESP, ROOT | {"end": "5GiB"}), "partition-past-end", "disk.partitions.1.end"),
        (partitions(ESP, ROOT, size="256MiB"), "partition-past-end", "disk.partitions.1.start"),
        (partitions(ESP, ROOT | {"end": "513MiB"}), "partition-order", "disk.partitions.1.end"),
        (partitions(ROOT, LATE_ESP), "partition-overlap", "disk.partitions.0.end"),
        (partitions(ESP, ROOT | {"mountPoint": "/srv"}), "no-root", "disk.partitions"),
        (partitions(ROOT), "no-esp", "disk.partitions"),
        (partitions(ESP, ROOT | {"id": "esp"}), "duplicate-partition", "disk.partitions.1.id"),
        (partitions(ESP, ROOT | {"start": "half"}), "size", "disk.partitions.1.start"),
        (partitions(ESP, ROOT, size="big"), "size", "disk.size"),
        (encrypted("home"), "encryption", "systemConfig.fde.partitions.0"),
        (encrypted("esp"), "encryption", "systemConfig.fde.partitions"),
        (template(**system(users=[{"name": "u"}] * 2)), "duplicate-user", "systemConfig.users.1.name"),
    ],
)
def test_reports_what_the_tool_accepts_and_cannot_work(data, kind, where, ours):
    found = check(data, library=ours)
    assert is_valid(found)
    assert (kind, where) in {(one.kind, one.where) for one in found if not is_sound(one)}


def test_a_parent_that_is_missing_is_refused(kinds):
    assert ("extends", "extends") in kinds(template(extends="gone.yml"), "error")


def test_an_overlay_keeps_what_is_below_it(kinds):
    data = template(
        baseline={"mode": "overlay", "source": {"path": "/x.img"}},
        disk={"name": "d", "artifacts": [{"type": "qcow2"}]},
        systemConfig={"kernel": {"cmdline": "quiet"}, "users": [{"name": "svc"}]},
    )
    assert kinds(data) == [("rule", "systemConfig.kernel")]
    assert kinds(template(overlayPolicy={})) == [("rule", "overlayPolicy")]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (template(**system(immutability={"enabled": True})), "immutability"),
        (template(**system(kernel={"version": "6.12.74"})), "kernel-pin"),
        (template(**system(users=[{"name": "u", "password": "changeme"}])), "password"),
        (template(**repository(url="<URL>", pkey="<PUBLIC_KEY_URL>")), "placeholder"),
        (template(**repository(count=2, url="https://a.example/r", pkey="/k")), "duplicate-repository"),
    ],
)
def test_warns_of_what_is_better_otherwise(data, kind, kinds, ours):
    assert kind in dict(kinds(data, "warning"))
    assert is_valid(check(data, library=ours))


@pytest.mark.parametrize("password", ["$6$salt$hash", "$y$j9T$x$y", "!", "*", "", "<HASH>"])
def test_a_hashed_or_locked_password_is_no_plain_one(password, kinds):
    found = dict(kinds(template(systemConfig={"users": [{"name": "u", "password": password}]})))
    assert "password" not in found


def test_partitions_that_touch_or_are_rounded_do_not_overlap(kinds):
    assert kinds(partitions(ESP | {"end": "513MB"}, ROOT)) == []
    assert kinds(partitions(ESP | {"end": "514MiB"}, ROOT)) == []


def test_reports_the_faults_of_a_parent(ours):
    parent = "debian13-x86_64-server-raw.yml"
    data = {"extends": parent, "image": {"name": "x", "version": "1"}, "target": TARGET}
    assert check(data, library=ours) == []
    data["systemConfig"] = {"fde": {"enabled": True, "passphraseFile": "p", "partitions": ["gone"]}}
    assert [one.kind for one in check(data, library=ours)] == ["encryption"]


def test_only_a_root_of_a_disk_image_grows(kinds, ours):
    grows = {"name": "d", "size": "4GiB", "extendLastPartitionToFillDisk": True}
    where = "disk.extendLastPartitionToFillDisk"
    data = ROOT | {"id": "data", "start": "2GiB", "mountPoint": "/data"}
    assert kinds(template(disk=grows | {"partitions": [ESP, ROOT]})) == []
    for broken in (
        template(disk=grows | {"partitions": [ESP, ROOT | {"end": "2GiB"}, data]}),
        template(disk=grows | {"partitions": []}),
        template(disk=grows | {"partitions": [ESP, ROOT]}, target=TARGET | {"imageType": "iso"}),
        template(disk=grows | {"partitions": [ESP, ROOT]}, systemConfig={"immutability": {"enabled": True}}),
    ):
        assert ("rule", where) in kinds(broken, "error")
        mended, _ = fix(broken, check(broken, library=ours))
        assert ("rule", where) not in kinds(mended, "error")


def test_reads_the_passphrase_file_next_to_its_template(tmp_path):
    text = (
        "image: {name: x, version: '1'}\ntarget: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\n"
    )
    (tmp_path / "x.yml").write_text(
        f"{text}systemConfig: {{fde: {{enabled: true, passphraseFile: p.txt}}}}\n"
    )

    def found():
        library = TemplateLibrary.open(tmp_path)
        entry = library.templates[0]
        return [
            (one.kind, one.message)
            for one in check_resolved(entry.template.data, entry.resolved)
            if one.where.endswith("passphraseFile")
        ]

    assert "p.txt" in found()[0][1]
    (tmp_path / "p.txt").write_text(" \n")
    assert "empty" in found()[0][1]
    (tmp_path / "p.txt").write_text("<PASSPHRASE>\n")
    assert found()[0][0] == "placeholder"
    (tmp_path / "p.txt").write_text("Igel im Nebel\n")
    assert found() == []


# --- the model --------------------------------------------------------------------------------------------------------


def test_every_field_has_a_section_a_meaning_and_a_form_that_exists():
    known = {""} | {f"{field.path}[]" if field.kind == "sections" else field.path for field in FIELDS}
    for field in FIELDS:
        assert field.parent in known, field.path
        assert field.meaning.endswith(".")
        assert field.form in {"", *FORMS}
        assert not field.key or f"{field.path}[].{field.key}" in fields_by_path()
    assert len(fields_by_path()) == len(FIELDS)
    assert [name for name, form in FORMS.items() if not form.test(form.example)] == []


def test_a_field_is_found_by_a_place_in_a_template():
    assert field_at("disk.partitions.1.end").path == "disk.partitions[].end"
    assert field_at("systemConfig.packages.0").path == "systemConfig.packages"
    assert field_at("systemConfig.users").key == "name"
    assert field_at("systemConfig.nothing") is None


# --- the oracles ------------------------------------------------------------------------------------------------------

SHARED = Path(__file__).parents[5] / "shared" / "data"
VERDICTS = SHARED / "image-verdicts" / "verdicts.jsonl"
SCHEMA = SHARED / "os-image-composer" / "schema" / "os-image-template.schema.json"


@pytest.mark.parametrize("which", ["some", pytest.param("all", marks=pytest.mark.nightly)])
def test_our_verdicts_are_those_of_the_tool(tmp_path, which):
    """Some thousand templates that the real tool has accepted or refused; by day, a quarter and one of each rule and verdict."""
    if not VERDICTS.is_file():
        pytest.skip("the tool's verdicts are not here")
    rows = [json.loads(line) for line in VERDICTS.read_text().splitlines()]
    by_rule = {(str(row["rule"]), row["accepted"]): row for row in rows}
    chosen = rows if which == "all" else [*by_rule.values(), *rows[::4]]
    assert len(chosen) > 200
    assert {row["accepted"] for row in chosen} == {True, False}
    wrong = []
    for row in chosen:
        folder = tmp_path / row["id"]
        for name, text in {"template.yml": row["template"], **row.get("files", {})}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        library = TemplateLibrary(folder, SHARED / "os-image-composer" / "os-defaults")
        found = library.read("template.yml")
        accepted = isinstance(found, Template) and is_valid(
            check_resolved(found.data, library.resolve_template(found))
        )
        wrong += [(row["id"], row["rule"], row["edits"])] if accepted != row["accepted"] else []
    assert len(rows) > 1000
    assert wrong == []


@pytest.fixture(scope="module")
def oracle():
    """The usual library on the tool's own schema, our formats given to it."""
    jsonschema = pytest.importorskip("jsonschema")
    if not SCHEMA.is_file():
        pytest.skip("the tool's schema is not here")
    schema = json.loads(SCHEMA.read_bytes())
    tests = {
        "uri": lambda text: text != "<URL>" and FORMS["url"].test(text),
        "ipv4": lambda text: "." in text and FORMS["address"].test(text),
        "ipv6": lambda text: ":" in text and FORMS["address"].test(text),
        "ipv4-cidr": lambda text: "." in text and FORMS["network"].test(text),
        "ipv6-cidr": lambda text: "." not in text and FORMS["network"].test(text),
    }
    checker = jsonschema.FormatChecker(formats=())
    for name, test in tests.items():
        checker.checks(name)(lambda value, test=test: not isinstance(value, str) or test(value))
    return jsonschema.Draft202012Validator(
        {"$ref": "#/$defs/UserTemplate", "$defs": schema["$defs"]}, format_checker=checker
    )


@pytest.fixture(scope="module")
def our_schema():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(json_schema())
    return jsonschema.Draft202012Validator(json_schema())


@pytest.mark.oracle
def test_both_schemas_take_real_templates(oracle, our_schema, real, ours):
    for entry in (*real.templates, *ours.templates):
        assert oracle.is_valid(entry.template.data)
        assert our_schema.is_valid(entry.template.data)


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
def test_the_oracles_agree_on_broken_templates(oracle, our_schema, ours, data):
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
    ours_of_values, ours_of_all = list(validate(broken)), check(broken, library=ours)
    if oracle.is_valid(broken):
        assert ours_of_values == [], broken
    else:
        assert not is_valid(ours_of_all), broken
    if not our_schema.is_valid(broken):
        assert ours_of_values, broken


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


def test_repairs_what_needs_no_thought():
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


def test_a_second_repair_changes_nothing(ours):
    data = template(metadata={"keywords": "a, b"}, target=TARGET | {"arch": "AMD64"})
    once, done = fix(data, check(data, library=ours))
    twice, none = fix(once, check(once, library=ours))
    assert (once, none) == (twice, [])
    assert len(done) == 2
    assert data["target"]["arch"] == "AMD64"  # the original is as it was


def test_leaves_what_needs_thought(ours):
    data = partitions(ESP, ROOT | {"end": "5GiB"})
    mended, done = fix(data, check(data, library=ours))
    assert (mended, done) == (data, [])


def test_very_many_of_anything_are_checked_in_seconds(ours):
    repositories = [{"codename": f"r{at}", "path": "/r", "pkey": "/k"} for at in range(2_000)]
    began_s = time.process_time()
    for data in (
        template(systemConfig={"packages": [f"p{at}" for at in range(4_000)] * 2}),
        template(systemConfig={"users": [{"name": f"u{at}"} for at in range(2_000)]}),
        template(packageRepositories=repositories),
        partitions(*({"id": f"p{at}", "start": "1MiB", "end": "2MiB"} for at in range(2_000))),
    ):
        check(data | {"extends": "debian13-x86_64-server-raw.yml"}, library=ours)
    assert time.process_time() - began_s < 20
