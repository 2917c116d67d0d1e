"""From a request to a template that is valid, with an account of every wish; without a model and without a network."""

import pytest

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.agent import TOOLS, Agent
from vademecum.desks.composer.draft import Around
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.image_template import facts_of, parse_template
from vademecum.desks.composer.template.check import check, is_valid


@pytest.fixture
def draft(ours, settings):
    agent = Agent(Around(library=ours, settings=settings._replace(provider="none")))
    return lambda text: agent.draft(agent.read(text))


@pytest.fixture
def packages(ours):
    """All packages of a draft, inherited ones among them."""
    return lambda made: ours.resolve(made.document.data, made.file).data["systemConfig"]["packages"]


REQUESTS = [
    "cloud elxr raw image", "image with nginx and docker-ce", "edge IoT minimal raw", "minimal without docker",
    "Create a minimal edge image for eLxr with networking support",
    "Debian 13 server with postgres, a separate 20GB /var/lib/postgresql partition using xfs, 64 GiB disk",
    "Ubuntu 24.04 with nginx, 16G disk, hostname web01, user alice with sudo, without python", "hardened RHEL 10 web server, user bob in the wheel group",
    "azure linux for arm64 with git and htop, 12GiB", "immutable ubuntu image with full disk encryption that asks for the passphrase at boot",
    "real-time Debian with isolcpus=2-3, quiet boot and 2 GiB swap", "emt3 with mosquitto and hostname broker", "ubuntu 26.04 virtualization host, 60 GiB",
    "installer ISO for Ubuntu that picks the fastest disk", "wsl2 ubuntu with git and python", "diskless eLxr that boots over the network with htop",
    "debian as qcow2 and vmdk, compressed with zstd", "static IP 192.168.1.10/24 on eth0 with gateway 192.168.1.1, debian",
    "debian with /home 4GiB, /var 3GiB and /srv 2GiB, 20GiB in all", "debian with secure boot", "legacy BIOS debian with grub", "elxr 12 iso with nginx",
    "ubuntu kiosk with firefox and a user called guest",
]  # fmt: skip


@pytest.mark.parametrize("text", REQUESTS)
def test_every_draft_is_valid_and_accounts_for_every_wish(draft, ours, text):
    made = draft(text)
    assert made.is_valid, [one.message for one in made.findings]
    assert parse_template(made.document.text, "").data == made.document.data
    assert is_valid(check(made.document.data, library=ours, file=made.file))
    kinds = {"capability"}
    asked = [one for one in made.wishes if one.kind not in kinds]
    assert {id(one.wish) for one in made.outcomes} >= {id(one) for one in asked} or len(made.outcomes) >= len(
        asked
    )
    assert all(one.says.endswith((".", "…", ":")) or one.says for one in made.outcomes)


def test_no_draft_has_a_parent_that_would_be_missing_elsewhere(draft, packages):
    made = draft("start from debian13-x86_64-database-raw and add htop")
    assert made.based_on == "debian13-x86_64-database-raw"
    assert "extends" not in made.document.data
    assert {"postgresql-17", "unattended-upgrades", "htop"} <= set(packages(made))


def test_excludes_what_is_ruled_out(draft, packages):
    made = draft("Ubuntu 24.04 server without docker and without a desktop")
    assert not [one for one in packages(made) if one.startswith(("docker", "gnome", "ubuntu-desktop"))]


def test_reports_an_exclusion_that_is_inherited(draft):
    made = draft("debian without openssh-server")
    (one,) = [one for one in made.outcomes if "openssh-server" in one.wish.said]
    assert one.state == "undeliverable"
    assert "defaults" in one.says


def test_the_distribution_is_never_guessed_in_silence(draft):
    made = draft("a web server image with 16 GiB")
    assert any("distribution" in one for one in made.notes)
    assert not any("distribution" in one for one in draft("debian web server").notes)


def test_azure_linux_with_apt_has_no_apt(draft, packages):
    made = draft("azure linux with apt and git")
    assert made.document.get("target", "os") == "azure-linux"
    assert not {"apt"} & set(packages(made))
    (one,) = [one for one in made.outcomes if one.wish.value == "apt"]
    assert "tdnf" in one.says
    assert "git" in packages(made)


def test_two_distributions_are_not_mixed(draft):
    made = draft("debian and ubuntu image with nginx")
    assert [one.state for one in made.outcomes if one.wish.kind == "distribution"].count("undeliverable") == 1
    assert made.document.get("target", "os") in {"debian", "ubuntu"}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Fedora 41 with nginx", "Debian"),
        ("FreeBSD server", "Debian"),
        ("an Alpine Linux container host", "Debian"),
        ("make it fast", ""),
        ("hello", ""),
    ],
)
def test_rejects_what_cannot_be_made_or_asks_for_nothing(draft, text, hint):
    with pytest.raises(AnswerError) as error:
        draft(text)
    assert error.value.hint
    assert hint in error.value.hint


def test_a_release_that_is_not_there_gives_the_nearest_and_says_so(draft):
    made = draft("ubuntu 22.04 with nginx")
    assert made.document.get("target", "dist") == "ubuntu24"
    (one,) = [one for one in made.outcomes if one.wish.kind == "version"]
    assert one.state == "undeliverable"


def test_a_type_that_is_not_there_for_an_architecture_is_given_up_and_said(draft):
    made = draft("ubuntu installer iso for arm64")
    assert made.document.get("target", "arch") == "aarch64"
    (one,) = [one for one in made.outcomes if one.wish.kind == "image_type"]
    assert "raw is taken" in one.says


def test_the_trace_names_the_tools(draft):
    names = [step.name for step in draft("debian with nginx").trace.steps]
    assert names[:1] == ["read"]
    assert "validate_template" in names
    assert names.index("base") < names.index("delta") < names.index("validate_template")
    assert set(TOOLS) == {"validate_template", "verify_packages", "fix_errors", "suggest_packages"}


def test_a_wish_that_makes_the_template_invalid_is_left_out_and_named(draft, monkeypatch):
    """Whatever slips through an edit is caught by the checks, and named."""
    from vademecum.desks.composer.editing import applying
    from vademecum.desks.composer.editing.outcome import delivered

    def wrong(document, wish, _scene):
        return delivered(document.set(("image", "name"), "not a name!"), wish, "Done.")

    monkeypatch.setitem(applying._EDITS, "image_name", wrong)
    made = draft("debian with nginx, name the image fine")
    assert made.is_valid
    (one,) = [one for one in made.outcomes if one.wish.kind == "image_name"]
    assert one.state == "undeliverable"
    assert "invalid" in one.says
    assert any(step.name == "fix_errors" for step in made.trace.steps)


def test_the_same_request_gives_the_same_template(draft):
    text = "Ubuntu 24.04 with nginx and docker, 16G disk, hostname web01"
    assert draft(text).document.text == draft(text).document.text


def test_comments_of_the_base_stay(draft):
    made = draft("Debian 13 router with htop")
    assert made.based_on == "debian13-x86_64-router-raw"
    assert "# Two ports: enp1s0" in made.document.text


@pytest.mark.parametrize("text", REQUESTS[:12:3])
def test_drafts_over_the_real_templates_too(real, settings, text):
    agent = Agent(Around(library=real, settings=settings._replace(provider="none")))
    made = agent.draft(agent.read(text))
    assert made.is_valid, [one.message for one in made.findings]
    assert Document.read(made.document.text).data == made.document.data


# --- As little as possible ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "base"),
    [
        ("minimal ubuntu 24 image", ""),
        ("minimal ubuntu 24 server with docker", ""),
        ("ubuntu 24, as small as possible, for a cloud", "ubuntu-minimal-cloud-amd64"),
        ("a minimal robotics image", "robotics-demo-ubuntu24-x86_64"),
    ],
)
def test_minimal_is_the_defaults_or_a_template_of_the_purpose(real, settings, said, base):
    agent = Agent(Around(library=real, settings=settings._replace(provider="none")))
    made = agent.draft(agent.read(said))
    assert made.based_on == base
    (little,) = [one for one in made.outcomes if one.wish.value == "minimal"]
    assert little.is_met
    assert "packages" in little.says


def test_minimal_says_how_many_packages_there_are(draft, packages):
    made = draft("minimal debian 13 image")
    (little,) = [one for one in made.outcomes if one.wish.value == "minimal"]
    assert f"It has {len(packages(made))} packages" in little.says
    assert not any("minimal" in note for note in made.notes)


@pytest.mark.parametrize(
    "said",
    ["debian 13, not minimal", "debian 13 with a minimum disk of 9GiB", "debian 13 with python3-minimal"],
)
def test_words_that_only_look_like_minimal(draft, said):
    made = draft(said)
    assert not [one for one in made.outcomes if one.wish.value == "minimal"]


def test_names_one_of_two_contradicting_wishes(draft):
    made = draft("encrypted debian 13 without encryption")
    (refused,) = [one for one in made.outcomes if not one.is_met]
    assert refused.wish.said == "encrypted"
    assert "'encryption' is ruled out" in refused.says


def test_software_that_another_wish_brings_is_not_said_to_have_been_there(draft):
    made = draft("debian 13 minimal raw web server with nginx")
    assert {one.wish.said: (one.state, one.says) for one in made.outcomes if one.wish.kind == "package"} == {
        "web server": ("already", "nginx is added for 'nginx'."),
        "nginx": ("delivered", "Added nginx."),
    }


# --- Contradictions within a request ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "package", "stays"),
    [
        ("ubuntu 24 with nginx but without nginx", "nginx", False),
        ("ubuntu 24 with nginx, remove nginx", "nginx", False),
        ("debian 13 with postgresql, no postgresql", "postgresql", False),
        ("ubuntu 24 without nginx, with nginx", "nginx", True),
    ],
)
def test_the_later_of_two_contradicting_wishes_counts(draft, packages, said, package, stays):
    made = draft(said)
    assert (package in packages(made)) is stays
    about = [one for one in made.outcomes if one.wish.said == package]
    assert [one.is_met for one in about] == [False, True]
    assert about[0].says.startswith("It contradicts")
    assert "later" in about[0].says
    assert about[1].wish.wanted is stays
    assert not made.is_complete


def test_no_trace_is_left_of_what_is_contradicted(draft):
    made = draft("debian 13 server, encrypted, not encrypted")
    assert "fde" not in made.document.get("systemConfig")
    assert "cryptsetup" not in made.document.get("systemConfig", "packages")
    assert [one.is_met for one in made.outcomes if "encrypted" in one.wish.said] == [False, True]


@pytest.mark.parametrize(
    "said", ["ubuntu with a web server but not nginx", "ubuntu, not nginx, but a web server"]
)
def test_a_name_that_is_ruled_out_does_not_come_in_another_way(draft, packages, said):
    made = draft(said)
    assert "nginx" not in packages(made)
    (one,) = [one for one in made.outcomes if one.wish.said == "web server"]
    assert one.state == "undeliverable"
    assert "nginx" in one.says


@pytest.mark.parametrize(
    ("said", "has"),
    [
        ("ubuntu 24 with nginx but no web server", "nginx"),
        ("ubuntu with docker, no containers", "docker.io"),
        ("debian 13 with chrony, no precise time", "chrony"),
        ("debian 13 with testdisk, without rescue tools", "testdisk"),
    ],
)
def test_a_name_that_is_asked_for_is_not_ruled_out_by_its_purpose(draft, packages, said, has):
    made = draft(said)
    assert has in packages(made)
    (ruled_out,) = [one for one in made.outcomes if not one.wish.wanted]
    contradicts = f"It contradicts '{has.removesuffix('.io')}', which counts."
    assert ruled_out.says in {contradicts, f"There is none in it beside {has}, which was asked for."}


def test_a_size_that_another_one_takes_away_is_not_delivered(draft):
    made = draft("debian 13 raw, disk 20 GB, root 15 GB, /data 10 GB")
    assert not made.is_complete
    assert [one.wish.value for one in made.outcomes if one.state == "undeliverable"]


@pytest.mark.parametrize("said", ["debian 13, full disk encryption", "debian 13, secure boot"])
def test_asks_for_a_file_that_only_the_person_has(draft, said):
    made = draft(said)
    assert [one.state for one in made.outcomes if not one.is_met] == ["asked back"]


@pytest.mark.parametrize(
    "said", ["debian 13", "debian 13 with nginx", "ubuntu 24.04 for the field", "el10 raw", "emt3"]
)
def test_never_inherits_what_changes_the_use_of_a_system(draft, ours, said):
    facts = facts_of(ours.resolve(draft(said).document.data))
    found = [facts.encrypted, facts.read_only_root, facts.secure_boot, facts.overlay]
    assert not any(found)


# --- What is said of the whole ------------------------------------------------------------------------------------


def test_the_exact_wish_stands_for_the_general_one(draft):
    made = draft("secure debian 13 with disk encryption and secure boot")
    assert "secure" not in [one.wish.said for one in made.outcomes]


def test_nothing_else_is_as_little_as_possible(draft, packages):
    made = draft("debian 13 with vim, git, curl and htop, nothing else")
    (one,) = [one for one in made.outcomes if one.wish.said == "nothing else"]
    assert one.says == f"It has {len(packages(made))} packages, with those of the defaults."


# --- The base -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "unasked"),
    [
        ("debian 13 minimal with sshd", "fde"),
        ("minimal debian 13", "fde"),
        ("minimal ubuntu 24 with mosquitto", "immutability"),
        ("ubuntu with mosquitto", "immutability"),
    ],
)
def test_nobody_gets_a_system_that_is_used_otherwise_for_asking_for_little(draft, said, unasked):
    made = draft(said)
    assert not (made.document.get("systemConfig", unasked) or {}).get("enabled")
    assert not [one for one in made.findings if one.severity == "error"]


def test_gives_encryption_to_those_who_ask_for_it(draft):
    assert draft("minimal encrypted debian 13").based_on == "debian13-x86_64-encrypted-raw"


# --- Purposes and metadata ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Set up a little web server for my bakery, debian, nginx and php, no mysql though",
        "debian 13 with a static address 192.168.1.10/24 on enp1s0, gateway 192.168.1.1",
        "debian 13, disk 50 GB, swap 2 GB",
        "We used to have postgres here; this box needs only redis. Debian.",
        "a Debian computer",
    ],
)
def test_a_plain_request_starts_from_the_defaults(draft, text):
    made = draft(text)
    assert (made.based_on, made.document.get("target", "dist")) == ("", "debian13")


def test_starts_from_a_template_that_is_named(draft, packages):
    made = draft("Start from debian13-x86_64-router-raw.yml, for arm64, and add htop")
    assert (made.based_on, made.is_complete) == ("debian13-x86_64-router-raw", False)
    assert {"htop", "nftables"} <= set(packages(made))
    assert "aarch64" in next(one.says for one in made.outcomes if one.state == "undeliverable")


def test_a_template_for_a_purpose_gives_no_format_that_nobody_asked_for(draft):
    made = draft("Ubuntu 24.04 cloud image with htop")
    assert made.based_on == "ubuntu24-x86_64-cloud-raw"
    assert [one["type"] for one in made.document.get("disk", "artifacts")] == ["raw"]


def test_the_partitions_of_the_defaults_go_where_the_disk_is_laid_out(real, settings):
    agent = Agent(Around(library=real, settings=settings._replace(provider="none")))
    made = agent.draft(agent.read("Debian 13, disk 20GiB, /var 8GiB"))
    mounts = [one.get("mountPoint") for one in made.document.get("disk", "partitions")]
    assert mounts == ["/boot/efi", "/", "/var"]
    assert made.is_complete


def test_a_draft_claims_nothing_of_what_was_taken_out(draft):
    made = draft("start from debian13-x86_64-database-raw without postgresql")
    assert "metadata" not in made.document.data
    assert "postgres" not in made.document.data["systemConfig"]["description"].lower()


def test_commands_of_what_was_taken_out_go_or_are_named(draft):
    made = draft("debian 13 server, no nftables")
    assert "nftables" not in str(made.document.data["systemConfig"])
    made = draft("debian 13 kiosk with chromium instead of firefox")
    assert any("A command still speaks of it" in outcome.says for outcome in made.outcomes)
    assert not made.is_complete


def test_everything_that_is_to_be_encrypted_is(draft):
    made = draft("debian 13, everything encrypted, 60 GB disk, 20 GB /srv, passphrase in /etc/luks.key")
    assert made.document.get("systemConfig", "fde", "partitions") == ["rootfs", "srv"]
    assert made.is_complete
    made = draft("ubuntu 24.04, encrypt /home but not the root, 20 GB home, passphrase file /etc/luks.key")
    assert made.document.get("systemConfig", "fde", "partitions") == ["home"]


def test_a_group_that_nothing_brings_is_asked_about(draft):
    assert not draft("debian 13 server with user ada in the docker group").is_complete
    assert draft("debian 13 server with docker and user ada in the docker group").is_complete


def test_names_what_is_only_hinted_at(draft):
    made = draft("debian 13 for my mother, with video calls")
    assert any("Nothing was done about: video calls" in note for note in made.notes)
