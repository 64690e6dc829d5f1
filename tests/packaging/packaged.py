#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when a small program outside of the repository builds with the library, and runs.

usage: packaged.py WAY SOURCE_ROOT COMPILER...

copied      include/ copied as tutti/, beside folders of the program's own that have the names of the library's
meson       headers alone, installed by Meson, found by pkg-config
cmake       headers alone, installed by CMake, found by find_package; and both installations have the same files
added       by CMake's add_subdirectory and FetchContent; and the command would be of the sources that Meson takes
subproject  as a subproject of Meson
release     the files of tools/release, by their checksums
debian      the package of headers for Debian
conan       the package for Conan
"""
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROOF = HERE / "proof.cpp"
STRICT = ["-Wpadded", "-Werror"]  # a program's own, which say nothing of the library's headers
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(mine CXX)
{how}
add_executable(program {source})
target_link_libraries(program {target})
target_compile_options(program PRIVATE """ + " ".join(STRICT) + """)
"""
MESON = """project('mine', 'cpp', default_options : ['cpp_std=c++20'])
tutti = dependency('tutti', fallback : 'tutti')
executable('program', 'proof.cpp', dependencies : tutti, cpp_args : """ + str(STRICT) + """)
"""
GENERATOR = ["-G", "Ninja"] if shutil.which("ninja") else []


def run(command, **rest):
    done = subprocess.run([*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, **rest)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            print(f"skipped: there is no {program} here")
            sys.exit(77)


def folders_of_mine(stage):
    """Of allreduce.cpp's own."""
    mine = {"base/mine.hpp": "namespace mine { constexpr int base = 1; }\n",
            "base/error.hpp": "#error this base/ is mine\n",
            "base/linkage.hpp": "#error this base/ is mine\n",
            "collectives/collectives.hpp": "namespace mine { constexpr int collectives = 2; }\n",
            "collectives/reduction/element.hpp": "#error this collectives/ is mine\n",
            "transport/contract/transport.hpp": "namespace mine { constexpr int transport = 3; }\n",
            "transport/contract/notice.hpp": "#error this transport/ is mine\n"}
    for name, text in mine.items():
        (stage / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (stage / "mine" / name).write_text("#pragma once\n" + text)
    return stage / "mine"


def copied(root, stage, compiler):
    shutil.copytree(root / "include", stage / "include" / "tutti", ignore=shutil.ignore_patterns("tutti"))
    run([*compiler, "-std=c++20", "-I", folders_of_mine(stage), "-I", stage / "include", HERE / "allreduce.cpp", "-pthread",
         "-o", stage / "program"])
    run([stage / "program"])


def install_by_meson(root, stage):
    prefix = stage / "by_meson"
    run(["meson", "setup", stage / "build", root, "--auto-features=disabled", f"--prefix={prefix}", "--libdir=lib"])
    steps = run(["meson", "install", "-C", stage / "build"])
    if re.search(r"\[\d+/\d+\]", steps):
        sys.exit(f"headers alone need no building\n{steps}")
    return prefix


def by_pkg_config(prefix, stage, compiler):
    flags = run(["pkg-config", "--cflags", "--libs", "tutti"],
                env={**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}).split()
    run([*compiler, "-std=c++20", *STRICT, PROOF, *flags, "-o", stage / "program"])
    run([stage / "program"])
    run([*compiler, "-std=c++20", HERE / "allreduce.cpp", *flags, "-isystem", folders_of_mine(stage), "-o", stage / "program"])
    run([stage / "program"])


def meson(root, stage, compiler):
    needs("pkg-config")
    moved = install_by_meson(root, stage).rename(stage / "moved")
    by_pkg_config(moved, stage, compiler)


def by_cmake(stage, compiler, name, how, *options, target="tutti::tutti"):
    project = stage / name
    project.mkdir()
    (project / "CMakeLists.txt").write_text(CMAKE.format(how=how, source=PROOF, target=target))
    run(["cmake", *GENERATOR, "-S", project, "-B", project / "build", f"-DCMAKE_CXX_COMPILER={compiler[-1]}", *options])
    run(["cmake", "--build", project / "build"])
    run([project / "build" / "program"])


def config_of(prefix):
    """What the templates say, without the preamble that each build system puts in its place."""
    text = (prefix / "lib/cmake/tutti/tuttiConfig.cmake").read_text()
    return text[text.index("include(CMakeFindDependencyMacro)"):]


def same_files(one, other):
    names = [sorted(f.relative_to(p).as_posix() for f in p.rglob("*") if f.is_file()) for p in (one, other)]
    if names[0] != names[1]:
        sys.exit(f"Meson and CMake install different files: {sorted(set(names[0]) ^ set(names[1]))}")
    for name in names[0]:
        if name.startswith("include/") and not filecmp.cmp(one / name, other / name, shallow=False):
            sys.exit(f"{name} is not the same")
        if name.endswith(".pc") and (one / name).read_text().replace(str(one), str(other)) != (other / name).read_text():
            sys.exit(f"{name} is not the same:\n{(one / name).read_text()}\n{(other / name).read_text()}")
    if config_of(one) != config_of(other):
        sys.exit("tuttiConfig.cmake is not the same")


def same_packages_compiled(root, stage, compiler):
    """What pkg-config is told where the library is compiled: written when it is configured, without building it."""
    of = {"by_meson": ["meson", "setup", "by_meson", root, "-Dcompiled=enabled", "-Dtests=disabled", "-Dtools=disabled",
                       "-Dbenchmarks=disabled", f"--prefix={stage}/there", "--libdir=lib"],
          "by_cmake": ["cmake", *GENERATOR, "-S", root, "-B", "by_cmake", "-DTUTTI_COMPILED=ON", "-DBUILD_SHARED_LIBS=ON",
                       f"-DCMAKE_INSTALL_PREFIX={stage}/there", "-DCMAKE_INSTALL_LIBDIR=lib",
                       f"-DCMAKE_CXX_COMPILER={compiler[-1]}"]}
    (stage / "compiled").mkdir()
    told = []
    for folder, command in of.items():
        run(command, cwd=stage / "compiled")
        told.append({f.name: f.read_text() for f in (stage / "compiled" / folder).rglob("tutti*.pc") if "-uninstalled" not in f.name})
    if told[0] != told[1] or "-DTUTTI_COMPILED" not in told[0]["tutti.pc"]:
        sys.exit(f"Meson and CMake tell pkg-config different things of the compiled library\n{told}")


def cmake(root, stage, compiler):
    needs("cmake")
    prefix = stage / "by_cmake"
    run(["cmake", *GENERATOR, "-S", root, "-B", stage / "cmake-build", f"-DCMAKE_INSTALL_PREFIX={prefix}",
         "-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_CXX_COMPILER={compiler[-1]}"])
    run(["cmake", "--install", stage / "cmake-build"])
    same_files(install_by_meson(root, stage), prefix)
    same_packages_compiled(root, stage, compiler)
    found = "find_package(tutti {} REQUIRED{})"
    by_cmake(stage, compiler, "found", found.format("0.1", ""), f"-DCMAKE_PREFIX_PATH={prefix}")
    lacking = stage / "lacking"
    lacking.mkdir()
    (lacking / "CMakeLists.txt").write_text(
        CMAKE.format(how=found.format("", " COMPONENTS tcp"), source=PROOF, target="tutti::tcp"))
    said = subprocess.run(["cmake", *GENERATOR, "-S", lacking, "-B", lacking / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                           "-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON"],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if said.returncode == 0 or "tutti::tcp cannot be had" not in " ".join(said.stdout.split()):
        sys.exit(f"a component that cannot be had must be refused, and named\n{said.stdout}")
    run(["cmake", "--build", stage / "cmake-build", "--target", "uninstall"])
    if left := [f for f in prefix.rglob("*") if f.is_file()]:
        sys.exit(f"the target uninstall leaves {left[0]}")


def command_sources(root, stage, compiler):
    """The sources of the command, as CMake would compile them."""
    build = stage / "command"
    (build / ".cmake/api/v1/query").mkdir(parents=True)
    (build / ".cmake/api/v1/query/codemodel-v2").touch()
    run(["cmake", *GENERATOR, "-S", root, "-B", build, "-DTUTTI_TOOLS=ON", "-DTUTTI_EXAMPLES=ON",
         f"-DCMAKE_CXX_COMPILER={compiler[-1]}"])
    told = [next((build / ".cmake/api/v1/reply").glob(f"target-{target}-*.json")).read_text()
            for target in ("tutti_command", "tutti_tools", "tutti_lab")]
    return {f["path"] for target in told for f in json.loads(target)["sources"] if f["path"].endswith(".cpp")}


def added(root, stage, compiler):
    needs("cmake")
    by_cmake(stage, compiler, "subdirectory", f"add_subdirectory({root} tutti)")
    by_cmake(stage, compiler, "content", "include(FetchContent)\nFetchContent_Declare(tutti SOURCE_DIR "
             f"{root})\nFetchContent_MakeAvailable(tutti)")
    listed = {f"tools/{f.relative_to(root / 'tools').as_posix()}" for of in ("tutti", "lab")
              for f in (root / "tools" / of).rglob("*.cpp")}
    taken = {f for f in command_sources(root, stage, compiler) if f.startswith(("tools/tutti/", "tools/lab/"))}
    other_verbs = {"tools/tutti/bench/verbs.cpp", "tools/tutti/bench/without_verbs.cpp"}
    of_meson = {"tools/tutti/bench/cuda.cpp", "tools/tutti/run/alone.cpp"}  # which it alone compiles
    embedded = {"tools/tutti/bench/contestants/gloo.cpp"}  # which the command compiles where it runs
    if lacking := listed - taken - other_verbs - of_meson - embedded or not taken & other_verbs:
        sys.exit(f"CMake's command lacks {lacking}")


def subproject(root, stage, compiler):
    project = stage / "mine"
    (project / "subprojects").mkdir(parents=True)
    (project / "subprojects" / "tutti").symlink_to(root)
    (project / "meson.build").write_text(MESON)
    shutil.copy(PROOF, project)
    run(["meson", "setup", project / "build", project], env={**os.environ, "CXX": " ".join(compiler)})
    run(["ninja", "-C", project / "build"])
    run([project / "build" / "program"])
    run(["meson", "install", "-C", project / "build", "--destdir", stage / "installed"])
    of_compiled = stage / "compiled" # not built: only what would be installed is asked for
    run(["meson", "setup", of_compiled, project, "-Dtutti:compiled=enabled"], env={**os.environ, "CXX": " ".join(compiler)})
    if planned := json.loads(run(["meson", "introspect", "--installed", of_compiled])):
        sys.exit(f"a project that has the compiled library in it installs {planned}, which is not the project's")
    if theirs := [f for f in (stage / "installed").rglob("*") if f.is_file()]:
        sys.exit(f"a project that has tutti in it installs {theirs[0]}, which is not the project's")


def of_repository(root):
    if not (root / ".git").exists():
        print("skipped: a release is made of a commit, and this is no git repository")
        sys.exit(77)


def release(root, stage, compiler):
    needs("git", "xz", "sha256sum")
    of_repository(root)
    run([root / "tools/release", "-o", stage])
    run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=stage)
    run(["tar", "-x", "-C", stage, "-f", *stage.glob("tutti-headers-*.tar.xz")])
    run(["tar", "-x", "-C", stage, "-f", *stage.glob("tutti-[0-9]*.tar.xz")])
    sources = next(stage.glob("tutti-[0-9]*/meson.build")).parent
    for needed in ("CMakeLists.txt", "README.md", "LICENSE", "docs/use.md", "tools/tutti/main.cpp"):
        if not (sources / needed).is_file():
            sys.exit(f"the sources of the release lack {needed}")
    run([*compiler, "-std=c++20", "-I", stage, PROOF, "-pthread", "-o", stage / "program"])
    run([stage / "program"])


def debian(root, stage, compiler):
    needs("git", "dpkg-buildpackage", "dh", "pkg-config")
    of_repository(root)
    said = run([root / "tools/package-debian", "-o", stage, "--headers"], env={**os.environ, "LC_ALL": "C"})
    for package in stage.glob("*.deb"):
        run(["dpkg-deb", "--extract", package, stage / "installed"])
    packages = next((stage / "installed").rglob("tutti.pc"), None)
    if packages is None:
        sys.exit(f"the package has no tutti.pc\n{said}")
    include = stage / "installed" / "usr" / "include"
    run([*compiler, "-std=c++20", "-I", include, PROOF, "-pthread", "-o", stage / "program"])
    run([stage / "program"])


def conan(root, stage, compiler):
    needs("conan", "cmake")
    here = {"env": {**os.environ, "CONAN_HOME": str(stage / "conan")}, "cwd": stage}  # it writes where it stands
    run(["conan", "profile", "detect"], **here)
    settings = ["-s", "compiler.cppstd=gnu20"]
    made = run(["conan", "create", root / "tools/packaging", *settings], **here)
    version = re.search(r"tutti/([0-9.]+)", made).group(1)
    run(["conan", "install", f"--requires=tutti/{version}", "-g", "CMakeDeps", "-g", "CMakeToolchain", *settings,
         "--output-folder", stage / "found"], **here)
    by_cmake(stage, compiler, "mine", "find_package(tutti REQUIRED)",
             f"-DCMAKE_TOOLCHAIN_FILE={stage / 'found' / 'conan_toolchain.cmake'}", "-DCMAKE_BUILD_TYPE=Release")


WAYS = {f.__name__: f for f in (copied, meson, cmake, added, subproject, release, debian, conan)}


def main(way, root, *compiler):
    root = pathlib.Path(root).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # CMake, asked by Meson, writes where it stands, and other ways run beside this one
        WAYS[way](root, pathlib.Path(folder), compiler)
    print(f"{way}: built and run")


if __name__ == "__main__":
    main(*sys.argv[1:])
