"""`os-image-composer ai` as a person runs it."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import run_command
from vademecum.desks.composer.image_template import parse_template


@pytest.fixture
def person(tmp_path):
    """Runs the command in a folder and a home of its own; gives standard output and standard error."""
    here = tmp_path / "here"
    here.mkdir()
    base = {
        "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config"), "OIC_AI_PROVIDER": "none",
    }  # fmt: skip

    def run(*words, stdin=None, code=0, **environment):
        done = run_command(
            "os-image-composer",
            *map(str, words),
            given=(stdin or "").encode(),
            cwd=here,
            env={**os.environ, **base, **environment},
        )
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout, done.stderr

    run.here, run.home, run.environment = here, tmp_path, base
    return run


def test_a_request_gives_a_template_that_can_be_piped(person):
    out, err = person("ai", "minimal debian 13 server with nginx, a 16G disk and hostname web01")
    data = parse_template(out, "").data
    assert data["disk"]["size"] == "16GiB"
    assert data["systemConfig"]["hostname"] == "web01"
    assert "nginx" in data["systemConfig"]["packages"]
    assert "+ nginx" in err


def test_a_change_soon_after_goes_on_by_itself_and_another_request_does_not(person):
    person("ai", "debian 13 server")
    out, err = person("ai", "add nginx")
    assert "Continuing session" in err
    assert "nginx" in parse_template(out, "").data["systemConfig"]["packages"]
    out, err = person("ai", "--continue", "remove nginx and add htop")
    packages = parse_template(out, "").data["systemConfig"]["packages"]
    assert "htop" in packages
    assert "nginx" not in packages
    out, err = person("ai", "an ubuntu container host")
    assert "goes on" not in err
    assert parse_template(out, "").data["target"]["os"] == "ubuntu"


def test_after_the_timeout_it_does_not(person):
    person("ai", "debian 13 server")
    time.sleep(1.1)
    _, err = person("ai", "--set", "ai.conversation.session_timeout=1s", "add nginx to the image")
    assert "goes on" not in err


def test_everything_as_one_object(person):
    out, err = person("ai", "--json", "debian 13 with nginx and frobnicator", code=3)
    data = json.loads(out)
    assert err == ""
    assert data["valid"] is True
    assert data["complete"] is False
    states = {one["asked"]: one["state"] for one in data["items"]}
    assert states["nginx"] == "delivered"
    assert states["frobnicator"] == "undeliverable"
    assert parse_template(data["template"], "").data["target"]["os"] == "debian"
    assert data["session"]


def test_only_the_search(person):
    out, _ = person("ai", "--search-only", "--json", "a router with wireguard")
    data = json.loads(out)
    assert data["results"][0]["file"].endswith("router-raw.yml")
    out, _ = person("ai", "--search-only", "--explain", "minimal without docker")
    assert "negation" in out


def test_explains_each_step(person):
    _, err = person("ai", "--explain", "debian with nginx")
    for name in ("classify", "base", "delta", "validate_template", "verify_packages"):
        assert name in err


def test_a_file_is_written_and_never_overwritten_by_something_else(person):
    person("ai", "-o", "mine.yml", "debian 13 server with nginx")
    assert "nginx" in (person.here / "mine.yml").read_text()
    person("ai", "--continue", "-o", "mine.yml", "add htop")
    assert "htop" in (person.here / "mine.yml").read_text()
    (person.here / "other.yml").write_text("precious")
    _, err = person("ai", "-o", "other.yml", "debian 13 server", code=1)
    assert "is not an earlier version" in err
    assert (person.here / "other.yml").read_text() == "precious"
    person("ai", "--force", "-o", "other.yml", "debian 13 server")
    assert "debian" in (person.here / "other.yml").read_text()
    _, err = person("ai", "-o", "/proc/nowhere/x.yml", "debian 13 server", code=1)
    assert "cannot be written" in err


def test_a_dry_run_leaves_nothing_behind(person):
    person("ai", "--dry-run", "-o", "mine.yml", "debian 13 server")
    assert not (person.here / "mine.yml").exists()
    assert not (person.home / "config/os-image-composer/sessions").exists()
    assert not (person.home / "data/vademecum/composer/metrics.sqlite").exists()


def test_counters_are_kept_for_scripts(person):
    person("ai", "debian 13 server")
    person("ai", "add nginx")
    data = json.loads(person("ai", "--metrics")[0])
    assert data["sessions"] == {"n": 1, "refinements": 1, "refinements_per_session": 1.0}
    assert data["validation"]["success_rate"] == 1.0
    assert data["latency"]["refinement"]["n"] == 1


def test_the_cache_is_told_of_and_cleared(person):
    person("ai", "debian 13 server")
    stats = json.loads(person("ai", "--cache-stats", "--json")[0])
    assert stats["entries"] > 20
    person("ai", "debian 13 server with nginx")
    assert json.loads(person("ai", "--metrics")[0])["cache"]["hit_rate"] == 0.5
    assert json.loads(person("ai", "--clear-cache", "--json")[0])["cleared"] == stats["entries"]
    assert json.loads(person("ai", "--cache-stats", "--json")[0])["entries"] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ai"], 2, "No request given"),
        (["ai", ""], 2, "No request given"),
        (["ai", "?!"], 2, "empty"),
        (["ai", "make it fast"], 2, "not understood"),
        (["ai", "Fedora with nginx"], 2, "Debian"),
        (["ai", "--continue", "add nginx"], 2, "no session to continue"),
        (["ai", "--continue", "20260101-000000-abcdef", "--", "add nginx"], 2, "no session"),
        (["ai", "--set", "nonsense", "debian"], 2, "KEY=VALUE"),
        (["ai", "--set", "ai.nonsense=1", "debian"], 2, "is not a setting"),
        (["ai", "--templates-dir", "nowhere", "debian"], 2, "nowhere"),
        (["ai", "--provider", "nobody", "debian"], 2, "nobody"),
        (["nonsense"], 2, "Unknown command nonsense"),
    ],
)
def test_errors_come_with_a_remedy(person, words, code, said):
    out, err = person(*words, code=code)
    assert out == ""
    assert said in err


def test_a_request_of_100_kb_is_refused(person):
    _, err = person("ai", "-", stdin="nginx and " * 10_240, code=2)
    assert "at most 4,000" in err


def test_an_empty_folder_of_templates(person):
    (person.here / "none").mkdir()
    _, err = person("ai", "--templates-dir", "none", "debian 13 with nginx", code=2)
    assert "no templates" in err


def test_a_provider_that_is_named_and_not_there_is_an_error(person):
    _, err = person(
        "ai", "--provider", "ollama", "--set", "ai.ollama.base_url=http://127.0.0.1:9", "debian 13", code=1
    )
    assert err


def test_an_invalid_template_is_a_failure_or_a_warning_as_the_settings_say(person):
    folder = person.here / "mine"
    folder.mkdir()
    text = 'image: {name: "no good name!", version: "1"}\ntarget: {os: debian, dist: debian13, arch: x86_64, imageType: raw}\nsystemConfig: {name: x, packages: [nginx]}\n'
    (folder / "one.yml").write_text(text)
    _, err = person("ai", "--templates-dir", "mine", "debian 13 with nginx", code=1)
    assert "not valid" in err
    assert "image.name" in err
    out, _ = person(
        "ai",
        "--templates-dir",
        "mine",
        "--set",
        "ai.agent.require_valid_output=false",
        "debian 13 with nginx",
        code=3,
    )
    assert "nginx" in out


def test_a_password_is_nowhere_on_the_disk_and_never_shown(person):
    out, err = person("ai", "--explain", "--json", "debian 13, user bob with password hunter2x, hostname h1")
    assert "hunter2x" not in out + err
    assert "$6$" in out
    kept = [path for path in person.home.rglob("*") if path.is_file()]
    assert kept
    assert [path for path in kept if b"hunter2x" in path.read_bytes()] == []


def test_commands_are_never_run(person):
    trap = person.here / "trap"
    person(
        "ai",
        f"debian 13 with nginx; touch {trap} && $(touch {trap}) `touch {trap}` hostname x|touch {trap}",
        code=3,
    )
    folder = person.here / "mine"
    folder.mkdir()
    (folder / "one.yml").write_text(
        f"image: {{name: one, version: '1'}}\ntarget: {{os: debian, dist: debian13, arch: x86_64, imageType: raw}}\n"
        f"systemConfig: {{name: x, packages: [nginx], configurations: [{{cmd: 'touch {trap}'}}]}}\n"
    )
    out, _ = person("ai", "--templates-dir", "mine", "debian 13 with nginx")
    assert f"touch {trap}" in out
    assert not trap.exists()


# --- Conversation -------------------------------------------------------------------------------------------------


def test_a_conversation_line_by_line(person):
    lines = "debian 13 server with nginx\nadd user bob with password hunter2x\n:undo\n:redo\n:validate\n:explain\n:frob\nwhat packages are included?\npurple elephants\n:diff\n:save kept.yml\n:save kept.yml\n:quit\nnever said\n"
    out, _ = person("ai", "--interactive", stdin=lines)
    assert "hunter2x" not in out
    assert "+    - name: bob" in out
    assert "Undone" in out
    assert "It is valid" in out
    assert "Unknown command :frob" in out
    assert "nginx" in out
    assert "No package elephants is known" in out or "Not understood: purple elephants" in out
    assert "Written to kept.yml" in out
    assert "never said" not in out
    assert "name: bob" in (person.here / "kept.yml").read_text()


def test_the_last_change_is_explained_whatever_was_looked_at_since(person):
    out, _ = person("ai", "-i", stdin=":explain\ndebian 13 server\n:diff\n:validate\n:explain\n")
    assert out.count("There is nothing to explain yet.") == 1
    assert out.count("validate_template (") == 1


@pytest.mark.parametrize("number", ["-1", "abc", "0", "2x"])
def test_rejects_an_invalid_number_of_changes_to_undo(person, number):
    out, _ = person("ai", "-i", stdin=f"debian 13 server\nadd htop\n:undo {number}\n:save kept.yml\n")
    assert f"{number} is not a number of changes" in out
    assert "Undone" not in out
    assert "- htop" in (person.here / "kept.yml").read_text()


def test_a_contradiction_is_named_and_the_template_agrees_with_it(person):
    out, err = person("ai", "ubuntu 24 with nginx but without nginx", code=3)
    assert "nginx" not in parse_template(out, "").data["systemConfig"]["packages"]
    assert (
        "! nginx      It contradicts a later part of the request, which counts: 'nginx' is ruled out." in err
    )
    assert "= nginx      It has no nginx." in err


def test_it_goes_on_another_day(person):
    person("ai", "-i", stdin="debian 13 server\nhostname web01\n")
    out, _ = person("ai", "-i", "--continue", stdin="undo\n")
    assert "Host name: web01" in out
    assert "Undone: hostname web01" in out


def test_a_person_at_a_terminal(person):
    """Line editing and the history: what was said can be brought back with the arrow key."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "vademecum.cli.os_image_composer", "ai", "--interactive"],
        stdin=child, stdout=child, stderr=child, cwd=person.here, env={**os.environ, **person.environment, "TERM": "xterm"}, close_fds=True,
    )  # fmt: skip
    os.close(child)
    seen = ""

    def until(text, timeout_s=30.0, meanwhile=lambda: None):
        nonlocal seen
        ends = time.monotonic() + timeout_s
        waiting = select.poll()  # `select.select` takes no file number above 1,023
        waiting.register(parent, select.POLLIN)
        while text not in seen and time.monotonic() < ends:
            meanwhile()
            if waiting.poll(200):
                try:
                    seen += os.read(parent, 65536).decode(errors="replace")
                except OSError:
                    break
        assert text in seen, seen[-2000:]
        seen = seen[seen.index(text) + len(text) :]

    try:
        until("> ")
        os.write(parent, b"debian 13 server\n")
        until("defaults of Debian")
        until("> ")
        os.write(parent, b"add nginxx\x7f\n")
        until("Added nginx")
        until("> ")
        os.write(parent, b"\x1b[A\n")
        until("nginx is there already")
        until("> ")
        # an interrupt between the prompt and the wait for keys is seen with the next one only
        until("(:quit ends)", meanwhile=lambda: process.send_signal(signal.SIGINT))
        os.write(parent, b":quit\n")
        until("session is kept")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(parent)
    assert (person.home / "data/vademecum/composer/history").exists()
    assert Path(person.home / "data/vademecum/composer/history").stat().st_mode & 0o077 == 0
