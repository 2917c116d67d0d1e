"""`vademecum packages` as a person runs it."""

import json
import os

import pytest

from commands import run_command

SMALL = [("nginx", "1.24-2"), ("curl", "8.5-1"), ("curl", "8.5-1")]


@pytest.fixture
def packages(tmp_path):

    def run(*words, code=0, **environment):
        done = run_command(
            "vademecum", "packages", *map(str, words), cwd=tmp_path, env={**os.environ, **environment}
        )
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout, done.stderr

    return run


def test_first_steps(packages, site, defaults, tmp_path):
    assert "vademecum packages sync" in packages("status")[0]
    defaults.debian(site.debian(SMALL))
    defaults.rpm(site.rpm([("kernel", "6.6-1")]))
    (tmp_path / "image-templates").mkdir()
    (tmp_path / "image-templates/one.yml").write_text("image: {name: a}\ntarget: {os: debian}\n")
    out, err = packages("sync")
    assert err == ""
    lines = out.splitlines()
    assert lines[0].startswith("read    azl3      x86_64         1 packages")
    assert lines[1].startswith("read    debian13  x86_64         2 packages")
    assert lines[2] == "        it lists 1 packages twice; each is counted once"
    assert lines[-1] == "2 of 2 repositories are up to date, with 3 packages."
    assert packages("sync", "debian13")[0].startswith("same    debian13")
    out, _ = packages("status")
    assert f"Base: {site.url}/rpm/x86_64" in out
    data = json.loads(packages("status", "azure-linux", "--json")[0])
    (known,) = data["repositories"]
    assert (known["state"], known["packages"], known["fault"], known["role"]) == ("synced", 1, "", "system")
    assert known["read_at"].endswith("Z")


def test_one_that_is_down(packages, site, defaults):
    defaults.debian(site.debian(SMALL))
    defaults.rpm("http://127.0.0.1:9/base")
    out, _ = packages("sync", "--os-defaults-dir", defaults.root, code=3)
    assert "FAILED  azl3" in out
    assert "127.0.0.1:9" in out
    assert "1 of 2 repositories are up to date" in out
    assert "FAILED" in packages("sync", "emt3", "azl3", OIC_AI_OS_DEFAULTS_DIR=str(defaults.root), code=1)[0]
    site.down = True
    data = json.loads(packages("sync", "debian", "--json", "--os-defaults-dir", defaults.root, code=3)[0])
    assert [one["state"] for one in data["repositories"]] == ["stale"]
    out, _ = packages("status", code=3)
    assert "old     debian13" in out


def test_the_repositories_of_templates(packages, site, defaults, tmp_path):
    defaults.debian(site.debian(SMALL))
    site.debian([("docker-ce", "26-1")], at="docker", suite="trixie", component="stable")
    (tmp_path / "image-templates").mkdir()
    (tmp_path / "image-templates/one.yml").write_text(
        "image: {name: a}\ntarget: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\n"
        f"packageRepositories:\n  - codename: trixie\n    url: {site.url}/docker\n    component: stable\n"
    )
    assert packages("sync")[0].endswith("1 of 1 repositories are up to date, with 2 packages.\n")
    out, _ = packages("sync", "--with-templates")
    assert out.endswith("2 of 2 repositories are up to date, with 3 packages.\n")
    packages("sync")
    data = json.loads(packages("status", "--json")[0])
    assert {one["role"]: one["packages"] for one in data["repositories"]} == {"system": 2, "template": 1}


def test_mistakes(packages, site, defaults, tmp_path):
    bad = defaults.debian(site.debian(SMALL))
    _, err = packages("sync", "purple", "--os-defaults-dir", defaults.root, code=2)
    assert "The versions are debian13." in err
    _, err = packages("sync", "--os-defaults-dir", tmp_path / "nothing", code=2)
    assert "There is no folder of defaults" in err
    _, err = packages("sync", "--arch", "s390x", "--os-defaults-dir", defaults.root, code=2)
    assert "No repositories to read" in err
    defaults.rpm(site.rpm([("kernel", "6.6-1")]))
    bad.write_text("repositories:\n  - {name: x, type: deb, baseURL: ftp://a}\n")
    _, err = packages("sync", "--os-defaults-dir", defaults.root, code=3)
    assert "debian/debian13/providerconfigs/amd64_repo.yml" in err
    (tmp_path / "elsewhere/image-templates").mkdir(parents=True)
    (tmp_path / "elsewhere/image-templates/a.yml").write_text("image: {name: a}\ntarget: {os: debian}\n")
    _, err = packages("sync", "--templates-dir", tmp_path / "elsewhere/image-templates", code=2)
    assert "no repository is configured" in err


def test_architectures_by_any_name(packages, site, defaults):
    defaults.debian(site.debian(SMALL, arch="arm64"), name="arm64_repo.yml")
    out, _ = packages("sync", "--arch", "arm64", "--os-defaults-dir", defaults.root)
    assert "debian13  aarch64" in out
