# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""Running commands under a launcher, for the tests beside this file."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from scripts import free_port, skip  # also for the tests beside this file

# No place of an outer launcher, and nothing beyond loopback.
FOREIGN = re.compile(r"(TUTTI|SLURM|SLURMD|PMI|PMIX|OMPI|MPI|TORCHELASTIC|PET|MASTER)_|(RANK|WORLD_SIZE|LOCAL_RANK)$")
CLEAN = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)} | {
    "TUTTI_INTERFACE": "lo", "TUTTI_BOOTSTRAP_TIMEOUT": "20"}


def expect(holds, sentence, output=""):
    if not holds:
        sys.exit(f"not so: {sentence}\n{output}")


def run(command, more={}, seconds=40):
    """Status and output, standard error within it. What is left after the time is killed, with its whole group."""
    with subprocess.Popen(command, env=CLEAN | more, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return 124, output
        return process.returncode, output


def expect_all(launch, words, ranks, how, more={}):
    """Each rank says how it went, and nothing failed."""
    status, output = run([*launch, *words], more)
    said = sorted(map(int, re.findall(rf"{how}: rank (\d+) of {ranks}\b", output)))
    expect(status == 0 and said == list(range(ranks)), f"{' '.join(map(str, words[1:]))} under {launch[0]}",
           f"status {status}\n{output}")


def expect_told(launch, program, ranks, victim, more={}):
    """All ranks but the one that killed itself are told of it. The launcher's own status may be any, and it may end first."""
    wanted = sorted(str(r) for r in range(ranks) if r != victim)
    with tempfile.TemporaryDirectory() as folder:
        _, output = run([*launch, program, "lost", str(victim), folder], more)
        until = time.monotonic() + 5
        while sorted(os.listdir(folder)) != wanted and time.monotonic() < until:
            time.sleep(0.05)
        told = sorted(os.listdir(folder))
    expect(told == wanted, f"all learn under {launch[0]} that a rank was killed, not {told}", output)


def expect_one_bench(launch, tutti, ranks, more={}):
    """One bench of all ranks, not a bench on each."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        status, output = run([*launch, tutti, "bench", "--bytes", "4K", "-n", "2", "--json", file.name], more)
        expect(status == 0, f"tutti bench under {launch[0]}", output)
        rows = json.load(file)
    expect({row["ranks"] for row in rows} == {ranks} and {row["wrong"] for row in rows} == {0},
           f"it is one bench of {ranks} ranks", output)
    expect(re.findall(r"# tutti bench: (\d+) ranks?", output) == [str(ranks)], "its table is printed once", output)


def expect_env(launch, tutti, ranks, name, more={}):
    status, output = run([*launch, tutti, "env"], more)
    expect(status == 0, f"tutti env under {launch[0]} finds nothing that would fail", output)
    for rank in range(ranks):
        expect(re.search(rf"\[{rank}\] place +rank {rank} of {ranks}\b", output), f"rank {rank} tells its place", output)
        expect(re.search(rf"\[{rank}\] launcher +{name}", output), f"rank {rank} tells its launcher", output)
    return output


def found(name):
    return shutil.which(name) is not None
