#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when the kernels, compiled with --use_fast_math, hold no instruction that gives other bits than the host.

usage: ptx_lint.py NVCC SOURCE_ROOT PTX

PTX is what nvcc has made of tests/kernels/instantiations.cu with these options; other sources are compiled here.

Forbidden: .ftz (subnormal numbers become zero), .approx (divisions and roots that are not rounded), .nc (loads that may
not see what a peer has written), and flags at another scope than .sys (peers may be on another device). That this
script finds them is shown by a kernel that has them. Needed: accesses of 16 bytes, and flags.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FORBIDDEN = re.compile(r"\.(ftz|approx|nc|volatile)\b|\.(?:acquire|release|relaxed|acq_rel|sc)\.(?!sys\b)(\w+)|\bmembar\.(?!sys\b)(\w+)")
SOURCES = ("kernels/device_reductions.cu", "kernels/stream_averages.cu", "tools/gpu_check/groups.cu",
           "tools/gpu_check/schedules.cu", "tools/gpu_check/speed.cu")
ENTRY = re.compile(r"\.entry\s+(\w+)")
PLAIN = """__global__ void plain(float* x, const float* __restrict__ y, volatile int* z) {
    *x = *x / *y + 1.0F;
    *z = 1;
    asm volatile("st.relaxed.gpu.u32 [%0], 1;\\nfence.acq_rel.cta;\\nmembar.gl;" : : "l"(x) : "memory");
}
"""


def ptx_of(nvcc, source, include, folder):
    to = folder / (source.stem + ".ptx")
    done = subprocess.run([nvcc, "-std=c++20", "-ptx", "-arch=sm_90", "--use_fast_math", "-Werror", "all-warnings",
                           *(f"-I{i}" for i in include), str(source), "-o", str(to)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{source.name} does not compile\n{done.stdout}")
    return to.read_text()


def faults_of(ptx):
    """Each forbidden instruction, with the kernel that it stands in."""
    kernel = "?"
    for line in ptx.splitlines():
        entry = ENTRY.search(line)
        kernel = entry.group(1) if entry else kernel
        if FORBIDDEN.search(line):
            yield f"{kernel}: {line.strip()}"


def main(nvcc, root, compiled):
    root = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plain = folder / "plain.cu"
        plain.write_text(PLAIN)
        found = {"".join(words) for fault in faults_of(ptx_of(nvcc, plain, [], folder)) for words in FORBIDDEN.findall(fault)}
        include = [root, root / "include", root / "tests"]
        all_ptx = [pathlib.Path(compiled).read_text(), *(ptx_of(nvcc, root / source, include, folder) for source in SOURCES)]
    ptx = "\n".join(all_ptx)
    faults = list(faults_of(ptx))
    if found != {"ftz", "approx", "nc", "volatile", "gpu", "cta", "gl"}:
        faults.append(f"a kernel with all that is forbidden was not seen for what it is: {sorted(found)}")
    for access in ("ld.global.v4", "st.global.v4", "ld.acquire.sys", "st.release.sys", "ld.relaxed.sys", "st.relaxed.sys"):
        if access not in ptx:
            faults.append(f"no access of this kind: {access}")
    print("\n".join(faults[:40]))
    print(f"{len(ENTRY.findall(ptx))} kernels, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
