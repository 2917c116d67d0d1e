"""A folder of templates: everything in it is read or named, and nothing is read twice."""

import json
import os
import shutil
from pathlib import Path

import pytest

from vademecum.core.errors import ConfigError
from vademecum.desks.composer import image_template, kept
from vademecum.desks.composer.image_template import load_tree
from vademecum.desks.composer.library import OUR_DEFAULTS, OURS, TemplateLibrary
from vademecum.desks.composer.template.check import check_resolved

TARGET = "target: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\n"
GOOD = f"image: {{name: good, version: '1'}}\n{TARGET}systemConfig: {{packages: [nginx]}}\n"
CHILD = f"extends: good.yml\nimage: {{name: child, version: '1'}}\n{TARGET}systemConfig: {{packages: [jq]}}\n"


def test_our_templates_are_valid_and_clean(ours):
    assert len(ours.templates) >= 24
    assert ours.problems == ()
    for entry in ours.templates:
        found = check_resolved(entry.template.data, entry.resolved)
        expected = ["placeholder"] if entry.facts.encrypted else []  # its passphrase is still to be filled in
        assert [one.kind for one in found] == expected, entry.file
        assert entry.facts.unresolved == (), entry.file
        assert load_tree(entry.template.text)["image"]["name"]
    facts = [entry.facts for entry in ours.templates]
    assert {one.architecture for one in facts} >= {"x86_64", "aarch64"}
    assert {one.image_type for one in facts} == {"raw", "img", "iso", "wsl2"}
    assert len({one.version for one in facts}) >= 8


def test_all_real_templates_are_read_resolved_and_valid(real):
    assert len(real.templates) == 68
    assert real.problems == ()
    for entry in real.templates:
        errors = [
            one for one in check_resolved(entry.template.data, entry.resolved) if one.severity == "error"
        ]
        expected = ["file"] if entry.facts.encrypted else []  # it names a passphrase file of its author's
        assert [one.kind for one in errors] == expected, (entry.file, errors)
        assert entry.problems == ()
        assert entry.facts.unresolved == ()
        assert entry.facts.architecture in entry.indexed.text
        assert entry.indexed.capabilities


def test_facts_of_real_templates(real):
    by_stem = {entry.stem: entry.facts for entry in real.templates}
    locked = {stem for stem, facts in by_stem.items() if facts.read_only_root}
    assert locked == {
        "azl3-x86_64-edge-raw",
        "elxr12-x86_64-edge-raw",
        "emt3-x86_64-edge-raw",
        "ubuntu24-x86_64-edge-raw",
        "ubuntu24-x86_64-ros2",
    }
    assert {stem for stem, facts in by_stem.items() if facts.encrypted} == {"ubuntu24-x86_64-fde-raw"}
    assert sum(facts.overlay for facts in by_stem.values()) == 6
    rt = by_stem["emt3-x86_64-emf-rt-raw"]  # three levels deep; its kernel's packages replace those above
    assert (rt.kernel_packages, rt.kernel_version) == (("kernel-rt-drivers-gpu",), "6.12")
    assert "moby-engine" in rt.packages
    assert "real-time" in real.entry("emt3-x86_64-emf-rt-raw").indexed.capabilities
    assert "gdisk" in by_stem["ubuntu24-x86_64-minimal-initrd"].packages  # from the defaults alone


def test_a_template_is_found_by_path_name_and_stem(ours):
    entry = ours.entry("ubuntu24/ubuntu24-x86_64-docker-raw.yml")
    assert entry is ours.entry("ubuntu24-x86_64-docker-raw.yml") is ours.entry("ubuntu24-x86_64-docker-raw")
    assert entry.template.data["target"]["os"] == "ubuntu"
    assert entry.resolved.chain[-1] == entry.file
    assert ours.entry("nothing-of-the-kind") is None


def test_one_name_in_two_folders_is_no_name(folder_of):
    library = folder_of({"a/same.yml": GOOD, "b/same.yml": GOOD})
    assert library.entry("same.yml") is None
    assert library.entry("a/same.yml").file == "a/same.yml"


def test_names_unreadable_files_and_reads_the_rest(folder_of):
    library = folder_of(
        {
            "good.yml": GOOD,
            "child.yml": CHILD,
            "tab.yml": "image:\n\tname: x\n",
            "twice.yml": "image: {}\nimage: {}\n",
            "huge.yml": b"#" * (2 << 20),
            "bytes.yml": b"image: \xff\n",
            "list.yml": "- a\n",
            "other.yml": "key: value\n",
            "wrong.yml": "image: 3\ntarget: [x]\nsystemConfig: x\n",
            "lost.yml": GOOD + "extends: gone.yml\n",
            "self.yml": GOOD + "extends: self.yml\n",
            "text.yml": GOOD + "extends: notes.txt\n",
            "outside.yml": GOOD + "extends: ../good.yml\n",
            "notes.txt": "not looked at",
            ".hidden.yml": "not looked at",
        }
    )
    assert {one.place: one.fault for one in library.problems} == {
        "bytes.yml": "not-utf-8",
        "huge.yml": "too-large",
        "list.yml": "no-mapping",
        "other.yml": "no-template",
        "tab.yml": "tab",
        "twice.yml": "duplicate-key",
    }
    assert all(one.message and one.hint for one in library.problems)
    assert {one.file: [p.fault for p in one.problems] for one in library.templates} == {
        "child.yml": [],
        "good.yml": [],
        "lost.yml": ["missing-parent"],
        "outside.yml": ["outside"],
        "self.yml": ["circle"],
        "text.yml": ["missing-parent"],
        "wrong.yml": [],
    }
    assert library.entry("child").facts.packages == ("nginx", "jq")


def test_pipes_links_and_folders_are_no_templates(folder_of, tmp_path):
    root = tmp_path / "image-templates"
    root.mkdir()
    (tmp_path / "secret.yml").write_text(GOOD)
    (root / "link.yml").symlink_to(tmp_path / "secret.yml")
    (root / "folder.yml").mkdir()
    os.mkfifo(root / "pipe.yml")
    library = folder_of({"good.yml": GOOD})
    assert [one.file for one in library.templates] == ["good.yml"]
    assert {one.place for one in library.problems} == {"link.yml", "pipe.yml"}


def test_a_folder_that_is_none_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="templates"):
        TemplateLibrary.open(tmp_path / "nowhere", keep_in=tmp_path)
    (tmp_path / "here").mkdir()
    with pytest.raises(ConfigError, match="defaults"):
        TemplateLibrary.open(tmp_path / "here", tmp_path / "nowhere", keep_in=tmp_path)


def test_an_empty_folder_has_no_templates(folder_of):
    library = folder_of({})
    assert (library.templates, library.problems) == ((), ())


def test_without_defaults_facts_are_unresolved(folder_of):
    assert "packages" in folder_of({"good.yml": GOOD}).entry("good").facts.unresolved


def test_defaults_lie_beside_the_templates(folder_of):
    default = f"image: {{name: d, version: '1'}}\n{TARGET}systemConfig: {{packages: [base]}}\n"
    place = "debian/debian13/imageconfigs/defaultconfigs/default-raw-x86_64.yml"
    library = folder_of({"good.yml": GOOD}, {place: default})
    assert library.entry("good").facts.packages == ("base", "nginx")
    assert library.entry("good").resolved.chain == (place, "good.yml")


@pytest.mark.parametrize("dist", ["../../../secret", "a/b", "", ".."])
def test_a_target_leads_nowhere_else(dist, folder_of):
    text = f"image: {{name: x, version: '1'}}\ntarget: {{os: debian, dist: '{dist}', arch: x86_64, imageType: raw}}\n"
    library = folder_of({"x.yml": text}, {"debian/debian13/x.yml": "a: 1"})
    assert library.entry("x").facts.unresolved


# --- what is kept -----------------------------------------------------------------------------------------------------


def files_of(kept):
    return [one for one in kept.iterdir() if one.suffix == ".json" and not one.name.startswith("phrases")]


def test_a_kept_library_is_the_same(ours, tmp_path):
    again = TemplateLibrary.open(keep_in=tmp_path)
    kept = TemplateLibrary.open(keep_in=tmp_path)
    assert len(files_of(tmp_path)) == 1
    for one, other, third in zip(ours.templates, again.templates, kept.templates, strict=True):
        assert one.file == other.file == third.file
        assert one.facts == other.facts == third.facts
        assert one.indexed == other.indexed == third.indexed
    assert ours.packages() == kept.packages()
    assert ours.packages("debian") == kept.packages("debian") != ours.packages()


def test_a_kept_library_parses_nothing(folder_of, monkeypatch):
    folder_of({"good.yml": GOOD, "child.yml": CHILD})
    monkeypatch.setattr("vademecum.desks.composer.library._read", None)
    assert len(folder_of({}).templates) == 2


@pytest.mark.parametrize(
    "module", sorted(path.name for path in Path(image_template.__file__).parent.glob("*.py"))
)
def test_a_changed_module_that_makes_facts_voids_what_is_kept(module, folder_of, monkeypatch, tmp_path):
    folder_of({"good.yml": GOOD})
    assert Path(image_template.__file__).parent == Path(kept._MAKERS)
    makers = shutil.copytree(kept._MAKERS, tmp_path / "makers", copy_function=shutil.copy2)
    monkeypatch.setattr(kept, "_MAKERS", str(makers))
    folder_of({})
    with (makers / module).open("a") as file:
        file.write("# changed\n")
    monkeypatch.setattr("vademecum.desks.composer.library._read", None)
    with pytest.raises(TypeError):  # it reads the templates again
        folder_of({})


def test_every_change_of_a_file_is_seen(tmp_path):
    shutil.copytree(OURS, tmp_path / "image-templates")
    shutil.copytree(OUR_DEFAULTS, tmp_path / "os-defaults")
    root = tmp_path / "image-templates"

    def opened():
        return TemplateLibrary.open(root, keep_in=tmp_path / "kept")

    before = opened()
    file = root / "ubuntu24/ubuntu24-x86_64-docker-raw.yml"
    file.write_text(file.read_text() + "    - added-later\n" if "packages" in file.read_text() else "")
    file.with_name("renamed.yml").write_text(GOOD)
    default = next((tmp_path / "os-defaults/debian").rglob("default-raw-x86_64.yml"))
    default.write_text(default.read_text().replace("vim-tiny", "nano"))
    after = opened()
    assert len(after.templates) == len(before.templates) + 1
    server = "debian13-x86_64-server-raw"
    assert "vim-tiny" in before.entry(server).facts.packages
    assert "nano" in after.entry(server).facts.packages
    file.unlink()
    assert opened().entry("ubuntu24-x86_64-docker-raw") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda _text: "",
        lambda text: text[: len(text) // 2],
        lambda _text: "null",
        lambda _text: "[" * 5000,
        lambda text: json.dumps(json.loads(text) | {"entries": [{"file": 3}]}),
        lambda text: json.dumps({"of": json.loads(text)["of"]}),
        lambda text: text.replace('"distribution"', '"distributions"'),
    ],
    ids=["empty", "cut", "null", "deep", "lying", "short", "other-fields"],
)
def test_a_damaged_copy_is_made_again(damage, folder_of, tmp_path):
    whole = folder_of({"good.yml": GOOD, "child.yml": CHILD})
    (file,) = files_of(tmp_path / "kept")
    file.write_text(damage(file.read_text()))
    again = folder_of({})
    assert len(again.templates) == 2
    assert [one.facts for one in again.templates] == [one.facts for one in whole.templates]


def test_works_where_nothing_can_be_kept(folder_of, tmp_path):
    (tmp_path / "kept").write_text("")
    assert [one.file for one in folder_of({"good.yml": GOOD}).templates] == ["good.yml"]


def test_a_template_that_goes_away_is_an_error(folder_of, tmp_path):
    library = folder_of({"good.yml": GOOD})
    again = TemplateLibrary.open(library.templates_dir, keep_in=tmp_path / "kept")
    (library.templates_dir / "good.yml").unlink()
    with pytest.raises(ConfigError, match=r"good\.yml"):
        _ = again.entry("good").template


def test_a_draft_is_resolved_like_a_file(ours):
    target = {"os": "debian", "dist": "debian13", "arch": "x86_64", "imageType": "raw"}
    draft = {
        "extends": "debian13-x86_64-server-raw.yml",
        "target": target,
        "systemConfig": {"packages": ["jq"]},
    }
    resolved = ours.resolve(draft)
    assert resolved.problems == ()
    assert [one.rpartition("/")[2] for one in resolved.chain] == [
        "default-raw-x86_64.yml",
        "debian13-x86_64-server-raw.yml",
        "draft.yml",
    ]
    assert resolved.data["systemConfig"]["packages"][-1] == "jq"
    assert [one.fault for one in ours.resolve(draft | {"extends": "gone.yml"}).problems] == ["missing-parent"]
