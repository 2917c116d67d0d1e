"""Partitions are put in, taken out and resized, and the disk stays one that can be made."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.desks.composer.editing import geometry, layout
from vademecum.desks.composer.image_template import size_bytes
from vademecum.desks.composer.image_template.facts import offset, written

GIB = 1 << 30


def disk(size="8GiB", *, root_end="0", more=()):
    parts = [
        {
            "id": "esp",
            "type": "esp",
            "start": "1MiB",
            "end": "513MiB",
            "fsType": "fat32",
            "mountPoint": "/boot/efi",
        },
        {
            "id": "rootfs",
            "type": "linux-root-amd64",
            "start": "513MiB",
            "end": root_end,
            "fsType": "ext4",
            "mountPoint": "/",
        },
        *more,
    ]
    return {"name": "main", "size": size, "partitionTableType": "gpt", "partitions": parts}


def check(made):
    """Nothing overlaps, nothing lies behind the end, and only the last one takes the rest."""
    whole, parts = geometry.disk_bytes(made), sorted(geometry.partitions_of(made), key=geometry.start_of)
    for one, other in pairwise(parts):
        assert not geometry.takes_rest(one)
        assert geometry.end_of(one, made) <= geometry.start_of(other)
    for one in parts:
        assert geometry.start_of(one) < geometry.end_of(one, made) <= whole
    assert len({one["id"] for one in parts}) == len(parts)


def sizes(made):
    return {
        one["mountPoint"]: geometry.end_of(one, made) - geometry.start_of(one)
        for one in geometry.partitions_of(made)
    }


def test_a_partition_takes_its_room_from_the_root_where_there_is_enough():
    made = layout.added(disk("20GiB"), "/data", "4GiB")
    check(made.disk)
    assert made.disk["size"] == "20GiB"
    assert sizes(made.disk)["/data"] == 4 * GIB
    assert made.notes


def test_a_disk_without_room_grows_and_says_so():
    made = layout.added(disk("4GiB"), "/data", "10GiB")
    check(made.disk)
    assert sizes(made.disk)["/data"] == 10 * GIB
    assert made.disk["size"] == "14GiB"
    assert "grew" in made.notes[0]


def test_a_disk_whose_size_was_asked_for_does_not_grow():
    with pytest.raises(layout.NoRoom, match="no room"):
        layout.added(disk("4GiB"), "/data", "10GiB", fixed=True)
    made = layout.added(disk("4GiB"), "/data", "", fixed=True)
    check(made.disk)
    assert made.disk["size"] == "4GiB"


def test_the_rest_is_not_taken_from_a_partition_whose_size_was_asked_for():
    first = layout.added(disk("30GB"), "/opt", "5GB").disk
    made = layout.added(first, "/home", "rest", kept={"/opt"}).disk
    check(made)
    assert sizes(made)["/opt"] == sizes(first)["/opt"]
    assert sizes(made)["/home"] > 2 * sizes(made)["/"] > 6 * GIB


def test_the_second_partition_takes_nothing_from_the_first():
    first = layout.added(disk("20GiB"), "/home", "4GiB").disk
    made = layout.added(first, "/var", "2GiB").disk
    check(made)
    assert sizes(made)["/home"] == 4 * GIB
    assert sizes(made)["/var"] == 2 * GIB


def test_partitions_behind_a_growing_one_move():
    before = layout.added(disk("20GiB"), "/data", "4GiB").disk
    made = layout.resized(before, 0, "1GiB").disk
    check(made)
    assert sizes(made)["/boot/efi"] == GIB


def test_the_last_one_leaves_its_room_to_the_one_before_it():
    before = layout.added(disk("20GiB"), "/data", "4GiB").disk
    made = layout.removed(before, 2)
    check(made.disk)
    assert made.disk["partitions"][1]["end"] == "0"


@pytest.mark.parametrize(("at", "why"), [(0, "EFI"), (1, "root file system")])
def test_partitions_that_a_system_starts_from_stay(at, why):
    with pytest.raises(layout.NoRoom, match=why):
        layout.removed(disk(), at)


def test_a_disk_is_not_shrunk_below_what_lies_on_it():
    with pytest.raises(layout.NoRoom):
        layout.resized_disk(disk(root_end="6000MiB"), "512MiB")
    assert layout.resized_disk(disk(), "4GiB").disk["size"] == "4GiB"


@pytest.mark.parametrize("called", ["/", "root", "rootfs", "Root partition"])
def test_a_partition_is_found_by_all_its_names(called):
    assert geometry.find(disk(), called) == 1


def test_does_not_change_its_argument():
    given = disk("20GiB")
    layout.added(given, "/data", "4GiB")
    assert given == disk("20GiB")


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["/data", "/var", "/home", "swap"]),
        st.integers(1, 40),
        st.sampled_from(["add", "resize", "remove"]),
    ),
    max_size=6,
)


@settings(max_examples=max(60, settings.default.max_examples))
@given(st.integers(3, 60), STEPS)
def test_whatever_is_done_the_disk_can_be_made(size, steps):
    made = disk(f"{size}GiB")
    for mount, number, step in steps:
        at = geometry.find(made, mount)
        try:
            if step == "add" and at is None:
                made = layout.added(made, mount, f"{number * 100}MiB").disk
                assert (
                    abs(sizes(made)["none" if mount == "swap" else mount] - number * 100 * (1 << 20))
                    <= 1 << 20
                )
            elif step == "resize" and at is not None:
                made = layout.resized(made, at, f"{number * 100}MiB").disk
            elif step == "remove" and at is not None:
                made = layout.removed(made, at).disk
        except layout.NoRoom:
            pass
        check(made)


@given(st.integers(1, 1 << 50))
def test_a_written_size_is_read_as_the_same(number):
    assert size_bytes(written(number)) == number or written(number).endswith("B")
    assert (size_bytes(offset(number)) or 0) <= number
