"""The picture says what the points say."""

from xml.etree import ElementTree as ET

POINTS = [(0.1, 0.0, 0.9), (0.5, 0.1, 0.6), (0.8, 0.2, 0.36), (1.0, 0.4, 0.01)]


def test_the_curve_is_an_svg_with_every_point():
    from curve import drawn

    picture = ET.fromstring(drawn(POINTS, 20))  # noqa: S314 - our own picture
    (path,) = (one for one in picture.iter() if one.get("class") == "curve")
    assert path.get("d").count("L") + path.get("d").count("M") == len(POINTS)
    heights = [float(pair.split()[1]) for pair in path.get("d").replace("M", "L").split("L")[1:]]
    assert heights == sorted(heights, reverse=True)


def test_its_title_says_what_happens_at_the_threshold():
    from curve import drawn

    assert "Of 20 questions, at the usual threshold 80% are answered" in drawn(POINTS, 20)
    assert "not a right one for 20%" in drawn(POINTS, 20)
