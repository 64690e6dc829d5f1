#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when a program builds against the installed library: by pkg-config, and by CMake where there is one. What
pkg-config has built runs, as a world of one rank.

usage: installed.py SOURCE_ROOT BUILD_FOLDER COMPILER...

The program is the first one of the README, with the compiled library; the headers' own package is held to its flags.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(mine CXX)
find_package(tutti REQUIRED)
if(NOT TARGET tutti::tutti OR NOT TARGET tutti::tcp)
    message(FATAL_ERROR "a target is missing")
endif()
find_package(tutti QUIET COMPONENTS tcpp)
if(tutti_FOUND OR NOT tutti_NOT_FOUND_MESSAGE MATCHES "no component tcpp: choose among tutti, tcp, ")
    message(FATAL_ERROR "a component that does not exist: ${{tutti_NOT_FOUND_MESSAGE}}")
endif()
add_executable(program {source})
target_link_libraries(program tutti::tcp_compiled)
"""


def run(command, **rest):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **rest)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def by_pkg_config(stage, prefix, source, compiler):
    folders = ":".join(str(f.parent) for f in prefix.rglob("tutti.pc"))
    found = {**os.environ, "PKG_CONFIG_PATH": folders, "PKG_CONFIG_SYSROOT_DIR": str(stage)}
    flags = run(["pkg-config", "--static", "--cflags", "--libs", "tutti-tcp-compiled"], env=found).split()
    run([*compiler, "-std=c++20", source, *flags, "-o", stage / "program"])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    alone = {"TUTTI_RANK": "0", "TUTTI_SIZE": "1", "TUTTI_ADDRESS": address}
    run([stage / "program"], env={**os.environ, **alone}, timeout=60)
    flags = run(["pkg-config", "--cflags", "tutti-tcp"], env=found).split()
    if "-DTUTTI_COMPILED" in flags:
        sys.exit("tutti-tcp must be header-only")
    run([*compiler, "-std=c++20", "-fsyntax-only", source, *flags])


def by_cmake(stage, prefix, source, compiler):
    project = stage / "mine"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(CMAKE.format(source=source))
    run(["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_CXX_COMPILER={compiler[-1]}"])
    run(["cmake", "--build", project / "build"])


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
