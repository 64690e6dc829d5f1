# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""The programs of tools/gpu-check: what they are made of, and how nvcc makes them."""
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
# Bodies run on the host as well, where their execution is a class of the host.
FLAGS = ("-std=c++20", "-O2", "-diag-suppress=20014", "-I.", "-Iinclude", "-Itests")
EXACTNESS = tuple(f"exactness-{n}" for n in range(5))  # a program for each group of types
FLOAT8 = "exactness-2"  # emulated on sm_80, which takes the compiler much longer
STREAM_KERNELS = tuple(f"stream_{name}" for name in ("reductions", "sums", "products", "minima", "maxima", "averages"))
KERNELS = {name: (f"kernels/{name}.cu", ()) for name in ("device_reductions", *STREAM_KERNELS)}
# Each object's source, and flags of its own.
OBJECTS = KERNELS | {name: (f"tools/gpu_check/{name}.cu", ()) for name in ("facts", "groups", "schedules", "speed")}
OBJECTS |= {name: (f"tools/gpu_check/{name}.cpp", ()) for name in ("processes", "streams")}
OBJECTS |= {name: ("tools/gpu_check/exactness.cu", (f"-DTUTTI_PART={n}",)) for n, name in enumerate(EXACTNESS)}
OBJECTS["network"] = ("tools/compiled/network.cpp", ())  # on a machine with Boost
# Each program's objects.
PROGRAMS = {name: (name,) for name in OBJECTS if name not in KERNELS and name != "network"}
PROGRAMS["processes"] += ("device_reductions", "network")
PROGRAMS["streams"] += (*KERNELS, "network")
# How many seconds nvcc takes here matters only for the order: the longest objects begin first.
FIRST = ("device_reductions", "streams", "processes")


def find_nvcc():
    """Whether there is nvcc: on PATH, or where the toolkit is installed by default, which is then added to PATH."""
    if not shutil.which("nvcc"):
        toolkit = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
        os.environ["PATH"] = os.pathsep.join(filter(None, (os.environ.get("PATH"), f"{toolkit}/bin")))
    return shutil.which("nvcc") is not None


def nvcc(*words):
    """What it printed, empty if it succeeded. Paths are relative to the root, so that all machines have the same."""
    done = subprocess.run(["nvcc", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout or f"nvcc ended with {done.returncode}" if done.returncode else ""


def digest_of_sources():
    """Of all that the objects are made of, the compiler and its options included."""
    digest = hashlib.sha256(subprocess.run(["nvcc", "--version"], stdout=subprocess.PIPE).stdout)
    digest.update(repr((FLAGS, sorted(OBJECTS.items()))).encode())
    for folder in ("include", "kernels", "tools/compiled", "tools/gpu_check", "tests/support", "tests/kernels"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".hpp", ".ipp", ".cpp", ".cuh", ".cu"):
                digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


class Builds:
    """Makes programs for one architecture, beside each other. Objects of the same sources are kept in the folder."""

    def __init__(self, folder, architecture):
        self.folder, self.architecture = folder, architecture
        self.digest = digest_of_sources()
        self.compilers = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)
        self.linkers = concurrent.futures.ThreadPoolExecutor(1)  # apart, since they wait for compilers
        self.objects, self.programs = {}, {}

    def path(self, program):
        return self.folder / f"{program}-{self.architecture}"

    def start(self, programs):
        objects = {o for program in programs for o in PROGRAMS[program]} - self.objects.keys()
        for name in sorted(objects, key=lambda o: FIRST.index(o) if o in FIRST else len(FIRST)):
            self.objects[name] = self.compilers.submit(self._compile, name)
        for name in programs:
            self.programs[name] = self.linkers.submit(self._link, name)

    def wrong_with(self, program, seconds=None):
        """Waits until it is made; returns what the compiler said, empty if all is well."""
        try:
            return self.programs[program].result(timeout=seconds)
        except concurrent.futures.TimeoutError:
            return f"{program} was not compiled in time"

    def abandon(self):
        """Begins no more compilations."""
        for work in (*self.objects.values(), *self.programs.values()):
            work.cancel()

    def _object(self, name):
        return self.folder / f"{name}-{self.architecture}-{self.digest}.o"

    def _compile(self, name):
        to = self._object(name)
        if to.exists():
            return ""
        for old in self.folder.glob(f"{name}-{self.architecture}-*.o"):
            old.unlink()
        source, flags = OBJECTS[name]
        unfinished = to.with_suffix(".new.o")
        said = nvcc(*FLAGS, *flags, f"-arch={self.architecture}", "-c", source, "-o", str(unfinished))
        if not said:
            unfinished.rename(to)
        return said

    def _link(self, program):
        objects = PROGRAMS[program]
        said = "".join(self.objects[name].result() for name in objects)
        return said or nvcc(f"-arch={self.architecture}", *(str(self._object(name)) for name in objects),
                            "-o", str(self.path(program)))


def compile_all(folder, architectures):
    """Compiles all programs, and prints a line each. Returns how many failed."""
    failed = 0
    for architecture in architectures:
        builds = Builds(folder, architecture)
        builds.start([name for name in PROGRAMS if (name, architecture) != (FLOAT8, "sm_80")])
        for name in builds.programs:
            said = builds.wrong_with(name)
            failed += bool(said)
            print(f"{name} for {architecture}: {said or 'compiled'}", flush=True)
    return failed
