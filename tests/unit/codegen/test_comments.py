"""Comments end where their line ends, whatever the source holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mytriton.codegen.comments import WIDTH, comment

# What could end a comment, join lines or hide text.
NASTY = st.text(st.sampled_from("ab ?/\\*\n\r\t\v\f\0\"'\u2028\u202e\u200b\ud800é"), max_size=30)


@given(st.one_of(st.text(max_size=200), NASTY))
def test_a_comment_is_one_harmless_line(text: str):
    line = comment(f"f.py:1  {text}")
    assert line.startswith("// f.py:1")
    assert len(line) <= WIDTH + len("// ")
    assert line.isprintable()
    assert len(line.splitlines()) == 1
    assert not line.endswith(("\\", " "))
    assert "??/" not in line
    line.encode()


def test_the_text_stays_where_it_can():
    assert comment("f.py:3      x = a[i]  # größer") == "// f.py:3  x = a[i]  # größer"
