"""What tests of the book desk share: a small book, and a desk that answers from it."""

import pytest

from vademecum.desks.book.books import add_book
from vademecum.desks.book.desk import Desk
from vademecum.desks.book.settings import BookSettings
from vademecum.library.collections import Collections

PAGES = {
    "README.md": "# Robots for people\n\nThis handbook explains how small robots are built and driven.\n",
    "SUMMARY.md": "# Summary\n\n* [Motors](hardware/motors.md)\n* [Sensors](hardware/sensors.md)\n",
    "hardware/motors.md": (
        "# Motors\n\n## Stepper motors\n\nA stepper motor turns by a fixed angle with every pulse. "
        "The usual angle is 1.8 degrees, so 200 pulses make a whole turn.\n\n"
        "## Servo motors\n\nA servo motor holds an angle that is given by the width of a pulse. "
        "A pulse of 1.5 milliseconds holds the middle position.\n"
    ),
    "hardware/sensors.md": (
        "# Sensors {#senses}\n\nThe ultrasonic range finder measures distances from 2 centimetres to 4 metres. "
        "It must never be used under water.\n\n"
        "## Calibration\n\nCalibrate the gyroscope while the robot stands still on a level table.\n\n"
        "```sh\n# this is a comment and no heading\nrobotctl calibrate --gyro\n```\n"
    ),
    "software/navigation.md": (
        "---\nslug: /find-the-way\n---\n# Navigation\n\n:::{note}\nMaps are stored as occupancy grids.\n:::\n\n"
        "The planner replans every second, and prefers **wide corridors** over narrow ones.\n"
    ),
    "SOURCE.md": "# Where this came from\n\nThe stepper motor chapter was copied from a secret place.\n",
}


@pytest.fixture(scope="session")
def pages():
    return PAGES


@pytest.fixture(scope="session")
def book_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robots") / "Robots & People"
    for name, text in PAGES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="session")
def collections(tmp_path_factory, book_folder):
    made = Collections(tmp_path_factory.mktemp("data") / "collections")
    add_book(made, book_folder, name="robots", url="https://robots.example.org/docs", exclude=["SOURCE.md"])
    return made


@pytest.fixture
def desk(collections):
    return Desk(collections, BookSettings(cached=0))
