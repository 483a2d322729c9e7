"""The photographs that come with tensorkit are small, of one size, and free: the text beside them says so of each."""

from __future__ import annotations

from tensorkit.vision import io, photographs


def test_each_is_small_and_its_author_and_licence_are_stated() -> None:
    found = photographs()
    assert list(found) == ["astronaut", "cat", "coffee"]
    lines = (found["cat"].parent / "README.md").read_text().splitlines()
    for name, file in found.items():
        assert io.read_image(file).size() == (3, 192, 256), name
        assert file.stat().st_size < 30_000, name
        [line] = [line for line in lines if line.startswith(f"| `{name}.jpg` |")]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 5, name
        assert all(cells), name
        assert "CC0" in cells[4] or "public domain" in cells[4], name
