"""From a person's words to what an image can do."""

import pytest

from vademecum.core.errors import ProviderError
from vademecum.desks.composer.image_template import Facts, Partition
from vademecum.desks.composer.image_template.capabilities import capabilities, capabilities_of, says
from vademecum.desks.composer.request.words.phrases import lexicon, stamp
from vademecum.desks.composer.search import guesses as guessing
from vademecum.desks.composer.search.guesses import guess, guesses, packed
from vademecum.desks.composer.search.meaning import met
from vademecum.providers.builtin import word_table
from vademecum.text.words import terms


def guessed(query):
    found = guess(word_table().embed(terms(query)))
    return max(found, key=found.__getitem__)


def test_every_capability_has_phrases_and_every_phrase_a_capability():
    names = [one.name for one in capabilities()]
    assert len(names) == len(set(names)) > 100
    assert list(dict.fromkeys(lexicon().capabilities)) == names
    assert all(one.says and one.says[0].isupper() for one in capabilities())


def test_the_fitted_guesses_are_of_these_phrases():
    """When this fails: python training/capabilities.py --out src/vademecum/desks/composer/search/guesses.bin, then templates.py."""
    assert guesses().stamp == stamp()
    assert [name for name, *_ in guesses().rows] == [one.name for one in capabilities()]


@pytest.mark.parametrize(
    ("query", "capability"),
    [
        ("nobody may read what is on the laptop", "encrypted"),
        ("robot arm", "robotics"),
        ("PREEMPT_RT", "real-time"),
        ("counting people in camera pictures", "video-analytics"),
        ("boots over the network", "netboot"),
        ("Windows Subsystem for Linux", "wsl"),
        ("swap partition", "swap"),
    ],
)
def test_words_that_are_met(query, capability):
    found = met(query)
    assert found[0].capability == capability
    assert 0.5 < found[0].strength <= 1
    assert found[0].phrase
    assert [one.strength for one in found] == sorted((one.strength for one in found), reverse=True)


@pytest.mark.parametrize(
    ("query", "capability"),
    [
        ("a tractor that steers itself over the meadow", "robotics"),
        ("somebody could snatch the computer and look at our contracts", "encrypted"),
        ("a nightly duplicate of everything", "backup"),
    ],
)
def test_meaning_that_is_guessed(query, capability):
    assert guessed(query) == capability


def test_chances_are_chances_and_nothing_has_none():
    assert met("") == met("zzyzx qwrtp") == []
    found = guess(word_table().embed(terms("a web shop")))
    assert sum(found.values()) == pytest.approx(1)
    assert all(0 <= chance <= 1 for chance in found.values())
    assert guess([0.0] * 256) == {}


def test_a_part_of_a_denial_is_no_phrase():
    """The words "no clicks" are a phrase of what installs by itself; "click" alone must not be."""
    assert "unattended" not in [one.capability for one in met("icons to click") if one.strength > 0.3]


@pytest.mark.parametrize(
    ("facts", "has", "lacks"),
    [
        ({"packages": ("moby-engine",)}, {"docker", "containers"}, {"podman", "desktop"}),
        ({"packages": ("podman",)}, {"podman", "containers"}, {"docker"}),
        ({"packages": ("intel-dlstreamer_2025.2.0",)}, {"video-analytics"}, {"robotics"}),
        ({"packages": ("linux-firmware", "dockerfile-lint")}, set(), {"docker", "containers"}),
        ({"kernel_packages": ("kernel-rt-drivers-gpu",)}, {"real-time"}, set()),
        ({"kernel_packages": ("linux-image-rt-amd64",)}, {"real-time"}, set()),
        ({"kernel_packages": ("linux-image-virtual",)}, set(), {"real-time"}),
        ({"packages": ("rt-tests",)}, set(), {"real-time"}),
        ({"architecture": "aarch64"}, {"arm"}, {"x86"}),
        ({"image_type": "iso", "unattended": True}, {"installer", "unattended"}, {"netboot"}),
        ({"encrypted": True, "unlock": "manual"}, {"encrypted", "asks-passphrase"}, {"unlocks-itself"}),
        (
            {"overlay": True, "baseline": "https://a.example/x.img"},
            {"overlay", "overlay-of-download"},
            {"overlay-of-file"},
        ),
        ({"files": ("/usr/lib/dracut/modules.d/90x/module-setup.sh",)}, {"early-boot-module"}, set()),
        ({"disk_size_bytes": 2 << 30}, {"small-disk"}, {"large-disk"}),
    ],
)
def test_capabilities_of_facts(facts, has, lacks):
    found = set(capabilities_of(Facts(**facts)))
    assert has <= found
    assert not lacks & found


def test_two_system_partitions_are_slots():
    def part(name):
        return Partition(name, "linux-root-amd64", "ext4", "", None, None, to_end=False)

    assert "slots" in capabilities_of(Facts(partitions=(part("root-a"), part("root-b"))))
    assert "slots" not in capabilities_of(Facts(partitions=(part("rootfs"), part("roothashmap"))))


def test_words_of_capabilities():
    assert says(["docker", "swap"]) == "Has a swap partition. Docker."
    assert says([]) == ""


@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda raw: raw[:100], lambda raw: b"X" + raw[1:], lambda raw: raw[:-1]],
    ids=range(4),
)
def test_damaged_guesses_are_an_error(damage, tmp_path, monkeypatch):
    file = tmp_path / "guesses.bin"
    file.write_bytes(damage(guessing.GUESSES.read_bytes()))
    monkeypatch.setattr(guessing, "GUESSES", file)
    guesses.cache_clear()
    try:
        with pytest.raises(ProviderError, match="cannot be read"):
            guess([1.0] * 256)
    finally:
        guesses.cache_clear()


def test_packing(tmp_path, monkeypatch):
    file = tmp_path / "guesses.bin"
    file.write_bytes(packed(["a", "b"], [[1.0, -1.0, 0.5], [0.0, 0.0, 0.0]], "s"))
    monkeypatch.setattr(guessing, "GUESSES", file)
    guesses.cache_clear()
    try:
        assert guesses().stamp == "s"
        found = guess([1.0, 0.0])
        assert found["a"] > 0.99
    finally:
        guesses.cache_clear()


@pytest.mark.parametrize(
    ("query", "is_processor"),
    [
        ("ubuntu image for a robot arm controller", False),
        ("controller for the arm of a robot", False),
        ("robot arm controller on an ARM board", True),
        ("ARM board for a robot", True),
    ],
)
def test_the_arm_of_a_robot_is_no_processor(query, is_processor):
    found = {one.capability for one in met(query)}
    assert "robotics" in found
    assert ("arm" in found) is is_processor
