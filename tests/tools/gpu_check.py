#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Passes when tools/gpu-check tells rightly what its programs found: here they are made by a compiler that pretends.
And when it makes a machine of the right figures from a report.

usage: gpu_check.py TOOLS_GPU_CHECK
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Makes an object that holds its source's name, and a program that tells of its first object. $FAILING names a source
# whose program fails, $SLOW one whose program and that one's child sleep, $BROKEN one that does not compile.
NVCC = r"""#!/bin/sh
[ "$1" = --version ] && { echo "13, pretended"; exit; }
for word; do
    case $last in -o) to=$word ;; esac
    case $word in
        *.cu | *.cpp) source=${word##*/} source=${source%.*} ;;
        *.o) [ "$last" = -o ] || [ "$object" ] || object=$word ;;
    esac
    last=$word
done
[ "$source" ] && echo "compiled $source" >>"$OUT/compiled"
[ "$source" ] && [ "$source" = "$BROKEN" ] && { echo "$source: error"; exit 1; }
[ "$source" ] && { echo "$source" >"$to"; exit; }
read -r source <"$object"
cat >"$to" <<EOF
#!/bin/sh
[ "\$1" = hold ] && { read -r none; exit; }
[ "$source" = "$SLOW" ] && { printf 'check\tpassed\tbegun\t\n'; sleep 600 & echo "child \$!"; wait; }
[ "$source" = "$FAILING" ] && { printf 'check\tfailed\tsums are right\tone is not\n'; exit 1; }
printf 'fact\tdevice\tpretended\nfact\tcompute capability\t9.0\n'
printf 'check\tpassed\tsums are right\t\nfigure\tspeed\t12.5\tGB/s\t10 or more\tyes\n'
[ "$source" = speed ] && printf 'figure\tfused update\t100\tus\t\tyes\n'
exit 0
EOF
chmod +x "$to"
"""

# What PyTorch would print; its name is that of the package, which is not asked for more than that it is there.
TORCH = "print('figure\\tupdate by PyTorch, eager\\t250\\tus\\t\\tyes')\n"


class Pretence:
    def __init__(self, script, folder):
        self.root = folder / "copy"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(script, self.root / "tools")
        shutil.copytree(script.parent / "gpu_check", self.root / "tools" / "gpu_check")
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.bin / "nvcc").write_text(NVCC)
        (self.bin / "nvcc").chmod(0o755)
        for needed in ("cat", "chmod", "sleep"):  # and nothing else: no compiler or checker of this machine
            (self.bin / needed).symlink_to(shutil.which(needed))
        self.out = folder / "out"

    def run(self, *words, path=True, **settings):
        toolkit = {"CUDA_HOME": str(self.out)}  # that of this machine is not looked for
        environment = {"PATH": str(self.bin) if path else "", "OUT": str(self.out)} | toolkit | settings
        done = subprocess.run([sys.executable, str(self.root / "tools" / "gpu-check"), *words], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def outcomes(self):
        return {s["section"]: s["outcome"] for s in self.sections()}

    def sections(self):
        return json.loads((self.out / "report.json").read_text())

    def compiled(self):
        """What was compiled since this was asked last."""
        file = self.out / "compiled"
        names = file.read_text().split("\n")[:-1] if file.exists() else []
        file.unlink(missing_ok=True)
        return names

    def edit(self, name, old, new):
        file = self.root / "tools" / "gpu_check" / name
        text = file.read_text()
        assert old in text, (name, old)
        file.write_text(text.replace(old, new))


def check_machine(p):
    """A made-up GPU: a launch of 2 us, a latency of 0.5 us, a meeting of 1 us, a signal of 0.75 us."""
    figures = {"latency of a word between 2 ranks": 0.5, "packets of 16 bytes, 2 ranks": 2.5,
               "one shot of 16 bytes, 2 ranks": 2 + 2 * 1 + 4 * 0.5, "copy of 192 MiB by a kernel": 800,
               "copy of 320 MiB by a kernel": 1000, "copy of 320 MiB by cudaMemcpyAsync": 1100,
               "message of 16 bytes by the device engine": 2 + 2 * 0.75 + 4 * 0.5}
    lines = [["fact", "device", "made up"]] + [["figure", what, f"{value:g}", "us", "", "yes"]
                                               for what, value in figures.items()]
    report = p.out / "made-up.json"
    report.write_text(json.dumps([{"section": "speed", "outcome": "passed", "why": "", "lines": lines}]))
    status, said = p.run("--machine-of", str(report), path=False)
    assert status == 0, said
    machine = json.loads((p.out / "machine.json").read_text())
    assert "measured by tools/gpu-check on made up" in machine["made"]
    gpus = machine["gpus"]
    assert (gpus["devices"], gpus["links"]) == (1, None), gpus
    found = [gpus["launch_s"], gpus["memory_s_per_byte"], *gpus["within"].values()]
    for value, expected in zip(found, (2e-6, 1e-12, 0.5e-6, 1e-6, 0.75e-6)):
        assert abs(value / expected - 1) < 1e-9, gpus
    report.write_text(json.dumps([{"section": "speed", "lines": lines[:-1]}]))
    status, said = p.run("--machine-of", str(report), path=False)
    assert status == 1 and "lacks figures" in said, said
    for text in ("", "[1]", "[{}]"):
        report.write_text(text)
        status, said = p.run("--machine-of", str(report), path=False)
        assert status == 2 and "is no report.json of tools/gpu-check" in said, said
    status, said = p.run("--machine-of", "nowhere.json", path=False)
    assert status == 2 and "nowhere.json cannot be read: No such file" in said and "Traceback" not in said, said


def check_objects(p):
    """Objects are kept while no source changes; one that failed is made again."""
    everything = p.compiled()
    assert "compiled facts" in everything and "compiled stream_reductions" in everything, everything
    assert p.run("--quick")[0] == 0 and p.compiled() == [], "objects are kept"
    p.edit("told.hpp", "failed_checks = 0", "failed_checks = 00")
    status, said = p.run("--quick", BROKEN="exactness")
    assert status == 1 and p.outcomes()["exactness"] == "failed" and p.outcomes()["streams"] == "passed", said
    assert "exactness: error" in (p.out / "report.md").read_text()
    p.compiled()
    assert p.run("--quick")[0] == 0 and set(p.compiled()) == {"compiled exactness"}
    assert p.run("--compile-only", "sm_90")[0] == 0 and p.compiled() == ["compiled speed"]


def check_time(p):
    """A section that takes longer than its time is ended with its children; those behind it still run."""
    p.edit("sections.py", '"groups": (30', '"groups": (0.5')
    status, said = p.run("--quick", SLOW="groups")
    assert status == 1 and p.outcomes()["groups"] == "failed" and p.outcomes()["streams"] == "passed", said
    groups = next(s for s in p.sections() if s["section"] == "groups")
    assert groups["why"].startswith("no time left for groups; it printed last: child "), groups
    assert groups["lines"] == [["check", "passed", "begun", ""]], groups
    child = int(groups["why"].rpartition(" ")[2])
    stat = pathlib.Path(f"/proc/{child}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z", "its child lives"


def check_pytorch(p):
    """The report says how many times as fast as PyTorch the update is."""
    (p.root / "tools" / "gpu_check" / "torch_update.py").write_text(TORCH)
    package = p.out / "packages"
    package.mkdir()
    (package / "torch.py").write_text("")
    status, said = p.run(PYTHONPATH=str(package))
    assert status == 0 and p.outcomes()["pytorch"] == "passed", said
    assert "eager one | 2.5  | 2 or more | yes |" in (p.out / "report.md").read_text(), p.sections()


def main(script):
    with tempfile.TemporaryDirectory() as name:
        p = Pretence(pathlib.Path(script).resolve(), pathlib.Path(name))

        quick = dict.fromkeys(("facts", "exactness", "groups", "schedules", "processes", "streams"), "passed")
        status, said = p.run("--quick")
        assert status == 0, said
        assert p.outcomes() == quick, said
        report = (p.out / "report.md").read_text()
        for words in ("- device: pretended", "- 5 of 5 checks passed", "| speed | 12.5 GB/s | 10 or more | yes |"):
            assert words in report, report
        check_objects(p)

        status, said = p.run("--quick", FAILING="groups")
        assert status == 1 and p.outcomes()["groups"] == "failed", said
        assert "- failed: sums are right: one is not" in (p.out / "report.md").read_text()

        status, said = p.run("--only", "sanitizer")
        assert status == 0 and p.outcomes() == {"sanitizer": "impossible"}, said

        status, said = p.run("--compile-only")
        assert status == 0 and said.count("compiled") == 3 * 11 - 1, said
        shutil.rmtree(p.root / "build-gpu")
        assert p.run("--compile-only", BROKEN="speed")[0] == 1

        check_pytorch(p)
        check_time(p)
        status, said = p.run("--quick", FAILING="facts")
        assert status == 3 and "no GPU that CUDA can use here (one is not); " in said, said
        status, said = p.run("--quick", path=False)
        assert status == 3 and "no nvcc" in said, said
        assert p.run("--only", "nonsense")[0] == 2
        check_machine(p)
    print("the report says what the programs found")


if __name__ == "__main__":
    main(sys.argv[1])
