"""The archive that other tests read is what the writer here makes."""

from pathlib import Path

SAMPLE = Path(__file__).parents[3] / "data" / "zim" / "handbook.zim"
PLAIN = 1


def test_the_sample_is_made_here(archive, entry):
    knots = """<html><title>Knots</title><body><nav>menu</nav><main><h1 id="knots">Knots</h1>
        <p>A knot holds a rope. See <a href="Hitch">hitches</a>.</p>
        <dl><dt id="bowline">bowline</dt><dd>A loop that does not slip.</dd></dl>
        <table><tr><th>knot<th>use<tr><td>bowline<td>loop</table><pre>tie
  pull</pre></main>"""
    made = archive(
        entry("Knots", knots, title="Knots"),
        entry("Hitch", "<h1>Hitch</h1><p>A hitch ties a rope to a post.", title="Hitch"),
        entry("Bowline", to="Knots", title="Bowline"),
        entry("Nothing", "<p>", title="Nothing"),
        entry("Round_in_circles", to="Round_in_circles"),
        entry("rope.png", b"\x89PNG", mime="image/png"),
        compression=PLAIN,
        front=["Knots", "Hitch", "Nothing", "Bowline"],
    )
    assert made.read_bytes() == SAMPLE.read_bytes()
