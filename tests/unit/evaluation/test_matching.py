"""What counts as saying a word, and what does not."""

import pytest

from vademecum.evaluation.matching import lacking, options


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("chmod", "chmod -R u+w DIR"),
        ("chmod", "see chmod(1)."),
        ("-R", "use -R, --recursive"),
        ("-R", "[-R]"),
        ("-R|--recursive", "with --recursive"),
        ("-R | --recursive", "with --recursive=yes"),
        ("O_EXCL", "flags O_CREAT|O_EXCL"),
        ("|", "ls | wc"),
        ("|", "ls|wc"),
        ("||", "make || echo failed"),
        ("of=", "dd of=disk.img"),
        ("+x", "chmod a+x FILE"),
        (".gz", "notes.gz"),
        ("/etc/fstab", "in /etc/fstab:"),
        ("C++", "written in C++."),
        ("git commit", "git\n    commit"),
        ("a.c|$HOME", "cd $HOME"),
        ("-", "tar -cf - DIR"),
        ("--", "git checkout -- FILE"),
        ("größe", "die größe"),
        ("|-v|", "grep -v"),
    ],
)
def test_said(item, text):
    assert lacking(text, [item]) == ()


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("-R", "-Rf"),
        ("-R", "--R"),
        ("-R", "x-R"),
        ("-R", "-r"),
        ("-R", "-R_"),
        ("R", "-R"),
        ("recursive", "--recursive"),
        ("--recursive", "--recursively"),
        ("chmod", "fchmod lchmod chmodat chmod_x"),
        ("chmod", "CHMOD"),
        ("a.c", "abc"),
        (".*", "anything"),
        ("|", "ls; wc"),
        ("||", "ls | wc"),
        ("-", "-R --long"),
        ("--", "--long"),
        ("-R|--recursive", "-Rf --recursively"),
        ("", "anything"),
        ("  ", "anything"),
    ],
)
def test_not_said(item, text):
    assert lacking(text, [item]) == (item,)


def test_every_item_is_needed():
    assert lacking("chmod u+w", ["chmod", "-R|--recursive", "mv"]) == ("-R|--recursive", "mv")
    assert lacking("", []) == ()
    assert [options(one) for one in ("-R|--recursive", " | ", "a||b|", " ")] == [
        ("-R", "--recursive"),
        ("|",),
        ("a", "b"),
        (),
    ]
