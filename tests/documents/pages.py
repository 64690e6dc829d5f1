# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""The code blocks of the documents, each with the marker above it.

A marker is a comment of one line, right above the block:

    <!-- whole FILE -->            the block is the whole file, but for the lines of the licence
    <!-- part of FILE -->          each paragraph of the block is a run of lines of that file; white space does not count
    <!-- not compiled: REASON -->  C++ that no compiler sees
    <!-- not run: REASON -->       commands that the test does not run
    <!-- where there is PROGRAM -->  commands that are run only where there is that program
    <!-- in any order -->          lines of the output may come in any order; after "; " beside the one before

Every block of C++ and CUDA has one of the first three. Blocks named `console` hold commands behind "$ " and what they
print; without a marker they are run.
"""
import dataclasses
import pathlib
import re

BLOCK = re.compile(r"^(?:<!-- (?P<marker>[^\n]*?) -->\n)?```(?P<language>[a-z]*)[^\n]*\n(?P<text>.*?)^```$", re.M | re.S)


@dataclasses.dataclass
class Block:
    page: str
    line: int  # of the fence
    language: str
    marker: str
    text: str

    @property
    def markers(self):
        return self.marker.split("; ")

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def pages(root):
    """The documents that the rules hold for."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def blocks(root, page):
    text = page.read_text()
    for found in BLOCK.finditer(text):
        fence = found.start("language")
        yield Block(page.relative_to(root).as_posix(), text.count("\n", 0, fence) + 1, found["language"],
                    found["marker"] or "", found["text"])


def text_of(file):
    """A file without the lines of its licence."""
    lines = pathlib.Path(file).read_text().split("\n")
    while lines and (lines[0].startswith("// SPDX-") or not lines[0]):
        lines.pop(0)
    return "\n".join(lines)
