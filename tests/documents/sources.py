#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when what the documents quote of the sources is there.

usage: sources.py SOURCE_ROOT           says what is wrong, and exits with 1 if anything is
       sources.py SOURCE_ROOT --fix     first copies whole files into the blocks that show them

- Every block of C++ or CUDA is in the file that its marker names: see pages.py. The build compiles these files.
- docs/coming-from.md: every call of ours is in tests/documents/coming_from.cpp, which the build compiles.
- docs/troubleshooting.md: every error text is in a string of include/, kernels/ or tools/.
- docs/variables.md: it has every variable of the environment that the sources name, and no other.
- Every link to a file of this repository leads to one, and to a heading of it.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import pages

SOURCES = {".build", ".hpp", ".ipp", ".cpp", ".cu", ".cuh", ".py", ""}
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
BETWEEN_STRINGS = re.compile(r"(?:\s|//[^\n]*\n)*")


def squeezed(line):
    """Without needless white space. A page may include the headers as they are installed, below tutti/."""
    return " ".join(line.split()).replace("#include <tutti/", "#include <")


def paragraphs(text):
    """Lists of lines without needless white space; blank lines part them."""
    found = [[]]
    for line in text.split("\n"):
        if line.strip():
            found[-1].append(squeezed(line))
        elif found[-1]:
            found.append([])
    return [p for p in found if p]


def holds(lines, wanted):
    return any(lines[k:k + len(wanted)] == wanted for k in range(len(lines) - len(wanted) + 1))


def block_faults(root):
    for page in pages.pages(root):
        for block in pages.blocks(root, page):
            if block.language not in ("cpp", "cuda") or block.marker.startswith("not compiled: "):
                continue
            how, _, name = block.marker.rpartition(" ")
            if how not in ("whole", "part of") or not (root / name).is_file():
                yield f"{block.place}: say in a marker which file this block is from: tests/documents/pages.py shows how"
                continue
            text = pages.text_of(root / name)
            if how == "whole" and text != block.text:
                yield f"{block.place}: this is not the text of {name}"
            lines = [line for p in paragraphs(text) for line in p]
            for wanted in paragraphs(block.text):
                if how == "part of" and not holds(lines, wanted):
                    yield f"{block.place}: {name} has no such lines: {wanted[0]} ..."


def files(root, *folders):
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SOURCES and file.is_file() and "corpus" not in file.parts:
                yield file, file.read_text()


def cells(page, column):
    """The code in one column of all tables of a page, with its line; `\\|` is a bar."""
    for number, line in enumerate(page.read_text().split("\n"), 1):
        row = re.split(r"(?<!\\)\|", line)
        if line.startswith("|") and len(row) > column + 1:
            for code in re.findall(r"`([^`]+)`", row[column]):
                yield number, code.replace("\\|", "|")


def call_faults(root):
    page = root / "docs/coming-from.md"
    compiled = squeezed(pages.text_of(root / "tests/documents/coming_from.cpp"))
    listed = {code for _, code in cells(root / "docs/variables.md", 1)}
    for number, code in cells(page, 2):
        if code in listed or code.startswith("tutti "):
            continue
        if squeezed(code) not in compiled:
            yield f"docs/coming-from.md:{number}: tests/documents/coming_from.cpp has no {code}"


def strings_of(text):
    """The strings of a source. Those that follow each other are one, and so are those that are added up."""
    out, end = [], -1
    for found in STRING.finditer(text):
        if end >= 0 and BETWEEN_STRINGS.fullmatch(text, end, found.start()):
            out[-1] += found[1]
        else:
            out.append(found[1])
        end = found.end()
    return [s.replace('\\"', '"') for s in out]


def error_faults(root):
    """An error text is in code, in the first column of a table; "..." stands for what differs from case to case."""
    known = "\n".join(s for _, text in files(root, "include", "kernels", "tools") for s in strings_of(text))
    for number, code in cells(root / "docs/troubleshooting.md", 1):
        for piece in filter(None, (p.strip() for p in code.split("..."))):
            if piece not in known:
                yield f"docs/troubleshooting.md:{number}: no source says: {piece}"


def variable_faults(root):
    name = r"\bTUTTI_[A-Z0-9_]+\b"
    texts = [text for file, text in files(root, "include", "kernels", "tools", "tests")
             if file.suffix or text.startswith("#!")]
    text = "\n".join(texts)
    macros = {n for part in re.findall(r"#\s*(?:define|undef|if|ifdef|ifndef|elif) .*|-DTUTTI_\w+", text)
              for n in re.findall(r"(?:\b|(?<=-D))TUTTI_[A-Z0-9_]+\b", part)}
    named = set(re.findall(name, text)) - macros
    listed = {code: number for number, code in cells(root / "docs/variables.md", 1)}
    for missing in sorted(named - listed.keys()):
        yield f"docs/variables.md:1: {missing} is not there"
    for code, number in listed.items():
        if code not in named | macros:
            yield f"docs/variables.md:{number}: no source names {code}"


def anchor_of(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def link_faults(root):
    for page in [*pages.pages(root), *sorted((root / "bench").rglob("*.md"))]:
        text = re.sub(r"^```.*?^```", lambda m: "\n" * m[0].count("\n"), page.read_text(), flags=re.M | re.S)
        for found in re.finditer(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
            here = f"{page.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}"
            target = (page.parent / found[1]).resolve() if found[1] else page
            if not target.exists():
                yield f"{here}: there is no {found[1]}"
            elif found[2] and target.suffix == ".md":
                headings = re.findall(r"^#+ (.*)$", target.read_text(), re.M)
                if found[2] not in map(anchor_of, headings):
                    yield f"{here}: {target.name} has no heading #{found[2]}"


def copy_whole_files(root):
    for page in pages.pages(root):
        def copied(found):
            if not (found["marker"] or "").startswith("whole "):
                return found[0]
            begin = found.start()
            text = pages.text_of(root / found["marker"].removeprefix("whole "))
            at = found.start("text") - begin
            return found[0][:at] + text + found[0][found.end("text") - begin:]
        old = page.read_text()
        new = pages.BLOCK.sub(copied, old)
        if new != old:
            page.write_text(new)


def main(root, *fix):
    root = pathlib.Path(root).resolve()
    if fix == ("--fix",):
        copy_whole_files(root)
    faults = [fault for check in (block_faults, call_faults, error_faults, variable_faults, link_faults)
              for fault in check(root)]
    print("\n".join(faults) if faults else "the documents quote what is there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
