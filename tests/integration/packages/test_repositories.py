"""Repositories are those that the files beside a folder of templates name, and the odd ones are told."""

from pathlib import Path

import pytest

from vademecum.desks.composer.library import OUR_DEFAULTS, OURS
from vademecum.desks.composer.packages.repositories import repositories_in, urls_named_by

REAL = Path(__file__).parents[4] / "shared/data/os-image-composer"
TEMPLATE = """image: {{name: a, version: "1"}}
target: {{os: ubuntu, dist: ubuntu24, arch: x86_64, imageType: raw}}
packageRepositories:
  - codename: noble
    url: "{url}"
    component: stable
  - codename: dev
    url: "<URL>"
  - path: /local
"""


def test_both_forms_of_a_provider_configuration(defaults):
    defaults.debian(
        "http://a.example/debian/", suites=("trixie", "trixie-updates"), component="main contrib main"
    )
    defaults.rpm("http://b.example/base/{arch}")
    defaults.rpm("http://b.example/base/{arch}", name="aarch64_64_repo.yml")
    found = repositories_in(defaults.root)
    assert found.problems == ()
    said = [
        (one.name, one.family, one.url, one.suite, one.components, one.architecture)
        for one in found.repositories
    ]
    assert sorted(said) == [
        ("Base", "rpm", "http://b.example/base/aarch64", "", (), "aarch64"),
        ("Base", "rpm", "http://b.example/base/x86_64", "", (), "x86_64"),
        ("trixie", "deb", "http://a.example/debian", "trixie", ("main", "contrib"), "x86_64"),
        ("trixie-updates", "deb", "http://a.example/debian", "trixie-updates", ("main", "contrib"), "x86_64"),
    ]
    assert {one.role for one in found.repositories} == {"system"}
    assert len({one.id for one in found.repositories}) == 4


def test_a_file_without_an_architecture_is_for_what_no_other_is(defaults):
    defaults.debian("http://a.example/d", name="repo.yml")
    defaults.rpm("http://b.example/{arch}", name="repo.yml")
    defaults.rpm("http://c.example/arm", name="aarch64_repo.yml")
    found = {(one.version, one.architecture): one.url for one in repositories_in(defaults.root).repositories}
    assert found == {
        ("debian13", "x86_64"): "http://a.example/d",
        ("azl3", "x86_64"): "http://b.example/x86_64",
        ("azl3", "aarch64"): "http://c.example/arm",
    }


def test_templates_name_further_ones(defaults, tmp_path):
    defaults.debian("http://a.example/u", os="ubuntu", dist="ubuntu24", suites=("noble",))
    folder = tmp_path / "image-templates/ubuntu24"
    folder.mkdir(parents=True)
    (folder / "one.yml").write_text(TEMPLATE.format(url="http://c.example/docker/"))
    (folder / "two.yml").write_text(TEMPLATE.format(url="http://c.example/docker"))
    (folder / "none.yml").write_text("\tbroken: [")
    base = defaults.root / "ubuntu/ubuntu24/imageconfigs/defaultconfigs"
    base.mkdir(parents=True)
    (base / "default-raw-x86_64.yml").write_text(TEMPLATE.format(url="http://d.example/more"))
    found = {
        one.url: one.role for one in repositories_in(defaults.root, tmp_path / "image-templates").repositories
    }
    assert found == {
        "http://a.example/u": "system",
        "http://c.example/docker": "template",
        "http://d.example/more": "system",
    }
    data = {"packageRepositories": [{"url": "http://a/b/"}, {"url": "<URL>"}, {"path": "/x"}, 7, {"url": 8}]}
    assert urls_named_by(data) == ("http://a/b",)
    assert urls_named_by({"packageRepositories": "no"}) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repositories:\n  - {name: x, type: deb, baseURL: ftp://a/b}\n", "must begin with http"),
        ("repositories:\n  - {name: x, type: deb}\n", "be empty"),
        (
            "repositories:\n  - {name: ../../etc, type: deb, baseURL: http://a.example}\n",
            "not a valid name for a suite",
        ),
        (
            "repositories:\n  - {name: x, type: deb, baseURL: http://a.example, component: 'a?b'}\n",
            "cannot be part",
        ),
        ("repositories:\n  - {name: x, type: slackware, baseURL: http://a.example}\n", "must be deb or rpm"),
        ("\tname: x\n", "tab"),
        ("name: !!python/object/apply:os.system [true]\n", ""),
        (
            "a: &a [x, x]\nb: &b [*a, *a]\n"
            + "".join(f"c{n}: &c{n} [*{p}, *{p}]\n" for n, p in enumerate(["b", "c0", "c1"])),
            "",
        ),
        ("", "empty"),
    ],
)
def test_what_can_not_be_used_is_named_and_the_rest_is_read(defaults, text, said):
    good = defaults.rpm("http://b.example/base")
    bad = defaults.debian("http://a.example")
    bad.write_text(text)
    found = repositories_in(defaults.root)
    assert [one.file for one in found.repositories] == [str(good.relative_to(defaults.root))]
    assert len(found.problems) == 1
    assert found.problems[0].place == str(bad.relative_to(defaults.root))
    assert said in found.problems[0].message


def test_one_that_is_switched_off_is_left_out(defaults):
    file = defaults.rpm("http://b.example/base")
    file.write_text(file.read_text().replace("enabled: true", "enabled: false"))
    assert repositories_in(defaults.root) == ((), ())


def test_ours():
    found = repositories_in(OUR_DEFAULTS, OURS)
    assert found.problems == ()
    versions = {one.version for one in found.repositories if one.role == "system"}
    assert versions == {"azl3", "debian13", "el10", "elxr12", "elxr13", "emt3", "ubuntu24", "ubuntu26"}


@pytest.mark.skipif(not REAL.is_dir(), reason="the real templates are not here")
def test_real_ones():
    found = repositories_in(REAL / "os-defaults", REAL / "image-templates")
    assert found.problems == ()
    assert len([one for one in found.repositories if one.role == "system"]) == 28
    assert len(found.repositories) > 45
    assert not [one for one in found.repositories if "<" in one.url or "{" in one.url]
