#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when a program builds against the installed library, shared and static: by pkg-config, and by CMake where there
is one. What pkg-config has built runs, as a world of one rank. The shared library exports namespace tutti alone, and has
one of each variable with a program that hides its symbols.

usage: installed.py SOURCE_ROOT BUILD_FOLDER COMPILER...

The program is the first one of the README, with the compiled library; the headers' own package is held to its flags.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(mine CXX)
find_package(tutti REQUIRED)
if(NOT TARGET tutti::tutti OR NOT TARGET tutti::tcp OR NOT TARGET tutti::headers)
    message(FATAL_ERROR "a target is missing")
endif()
find_package(tutti QUIET COMPONENTS tcpp)
if(tutti_FOUND OR NOT tutti_NOT_FOUND_MESSAGE MATCHES "no component tcpp: choose among headers, tutti, tcp, ")
    message(FATAL_ERROR "a component that does not exist: ${{tutti_NOT_FOUND_MESSAGE}}")
endif()
add_executable(program {source})
target_link_libraries(program tutti::tcp)
target_precompile_headers(program PRIVATE <tutti/collectives/collectives.hpp> <tutti/transport/tcp.hpp>)
"""


HIDDEN = pathlib.Path(__file__).resolve().parent / "packaging" / "shared.cpp"


def run(command, **rest):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **rest)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def told_of(kind, file):
    return re.findall(rf"\({kind}\).*\[(.*)\]", run(["readelf", "-d", file]))


def soname_of(library):
    """libtutti.so.0.1.0, of libtutti.so."""
    return library.resolve().name


def shared_alone(stage, library, hidden, flags, compiler):
    """What concerns the shared library by itself."""
    if (soname := told_of("SONAME", library)) != [soname_of(library)]:
        sys.exit(f"{library.resolve().name} has another soname: {soname}")
    exported = [line.split()[-1] for line in run(["nm", "-D", "--defined-only", library]).splitlines()]
    of_tutti = re.compile(r"_Z(GV|T[VTISCHW]|T[hv][n\d_]+_)?[ZN]+K?[RO]?Z*N?5tutti")
    if not exported or (foreign := [name for name in exported if not of_tutti.match(name)]):
        sys.exit(f"{library.name} exports what is not of namespace tutti: {foreign[:5] if exported else exported}")
    if hidden:
        run([*compiler, "-std=c++20", "-fvisibility=hidden", hidden, *flags, "-o", stage / "hidden"])
        run([stage / "hidden"], env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)}, timeout=60)


def by_pkg_config(stage, prefix, source, compiler):
    folders = ":".join(str(f.parent) for f in prefix.rglob("tutti.pc"))
    found = {**os.environ, "PKG_CONFIG_PATH": folders, "PKG_CONFIG_SYSROOT_DIR": str(stage)}
    told = lambda *asked: run(["pkg-config", *asked, "tutti-tcp"], env=found).split()
    flags, shared = told("--cflags", "--libs"), next(prefix.rglob("libtutti.so"))
    run([*compiler, "-std=c++20", "-O2", "-c", source, *told("--cflags"), "-o", stage / "program.o"])
    if "N5boost" in run(["nm", "--defined-only", shared.with_suffix(".a")]):
        sys.exit("the archive has functions of Boost by their own names, which may meet those of a program")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    alone = {"TUTTI_RANK": "0", "TUTTI_SIZE": "1", "TUTTI_ADDRESS": address}
    static = ["-l:libtutti.a" if flag == "-ltutti" else flag for flag in told("--static", "--libs")]
    for linked in (static, told("--libs")):
        run([*compiler, stage / "program.o", *linked, "-Wl,--gc-sections", "-s", "-o", stage / "program"])
        run([stage / "program"], env={**os.environ, **alone, "LD_LIBRARY_PATH": str(shared.parent)}, timeout=60)
    needed, size = told_of("NEEDED", stage / "program"), (stage / "program").stat().st_size
    if soname_of(shared) not in needed or any("libcrypto" in name or "libssl" in name for name in needed) or size > 40 * 1024:
        sys.exit(f"the program has {size} bytes, and needs {needed}")
    shared_alone(stage, shared, HIDDEN, flags, compiler)
    for verbs in prefix.rglob("libtutti_verbs.so"):
        shared_alone(stage, verbs, None, flags, compiler)
    flags = run(["pkg-config", "--cflags", "tutti-headers"], env=found).split()
    if "-DTUTTI_COMPILED" in flags:
        sys.exit("tutti-headers must be header-only")
    run([*compiler, "-std=c++20", "-fsyntax-only", source, *flags])


def by_cmake(stage, prefix, source, compiler):
    project = stage / "mine"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(CMAKE.format(source=source))
    run(["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_CXX_COMPILER={compiler[-1]}"])
    run(["cmake", "--build", project / "build"])
    if soname_of(next(prefix.rglob("libtutti.so"))) not in told_of("NEEDED", project / "build" / "program"):
        sys.exit("CMake's package takes the archive, and the shared library is there")


def main(root, build, *compiler):
    source = pathlib.Path(root) / "tests" / "compile_time" / "one_transport.cpp"
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        run(["meson", "install", "-C", build, "--no-rebuild", "--destdir", stage])
        headers = next(stage.rglob("collectives/collectives.hpp"))
        prefix = headers.parents[3]
        by_pkg_config(stage, prefix, source, compiler)
        if shutil.which("cmake"):
            by_cmake(stage, prefix, source, compiler)
    print("pkg-config" + (", CMake" if shutil.which("cmake") else ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
