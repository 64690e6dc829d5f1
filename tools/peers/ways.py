# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""How all contestants are measured alike: where their buffers lie, whether ranks are bound, whether they are in step."""
import dataclasses
import itertools
import os
import pathlib

MEMORIES, BINDINGS = ("vector", "page"), ("unbound", "bound")
BEHIND = 20  # calls in step behind a late one, as `tutti bench` has it
TRANSPORTS = ("shared_memory", "tcp")


@dataclasses.dataclass(frozen=True)
class Way:
    memory: str = "vector"
    offset: int = 0  # of page: bytes
    binding: str = "unbound"
    imbalances: tuple = ()  # as `tutti bench --imbalance` takes them; none: in step
    transports: tuple = TRANSPORTS
    timing: str = "barrier"  # as `tutti bench --timing` takes it

    @property
    def bind(self):
        """What `tutti`, Open MPI and MPICH call the binding, all three alike."""
        return "core" if self.binding == "bound" else "none"

    @property
    def name(self):
        memory = f"{self.memory}s" + (f" and {self.offset} bytes" if self.offset else "")
        return f"{memory}, {self.binding}, {'out of step' if self.imbalances else self.in_step[0]}"

    @property
    def in_step(self):
        return {"barrier": ("in step", "all ranks leave a barrier and call"),
                "loop": ("in a loop", "ranks call in a loop, with inputs that stay the same")}[self.timing]

    @property
    def told(self):
        """One line below the title of a table."""
        memory = {"vector": "where a std::vector of their size begins", "page": f"{self.offset} bytes behind a page's start"}
        step = "the last rank computes before its call, while the others wait in theirs" if self.imbalances else \
            self.in_step[1]
        bound = "each rank bound to a core by its launcher" if self.binding == "bound" else "no rank bound"
        return f"Measured so: buffers begin {memory[self.memory]}; {bound}; {step}."


# What users run, a third each, and the old way, in which symmetric memory stands beside the peers'.
DEFAULT = (Way(), Way(binding="bound"), Way(imbalances=("300us", "1ms", "5ms")),
           Way("page", transports=("shared_memory",)))


def cores():
    """How many cores this process may run on: threads of one core are one, and launchers bind ranks to cores."""
    def core_of(processor):
        try:
            return pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list").read_text()
        except OSError:
            return str(processor)
    return len({core_of(processor) for processor in os.sched_getaffinity(0)})


def ways_of(memories, offset, bindings, imbalances, timing="barrier"):
    """Those that were asked for; None where nothing was."""
    if offset is not None:
        memories = memories or ["page"]
    if not (memories or bindings or imbalances or timing == "loop"):
        return DEFAULT
    return tuple(Way(memory, offset or 0, binding, tuple(imbalances or ()), timing=timing)
                 for memory, binding in itertools.product(memories or MEMORIES[:1], bindings or BINDINGS[:1]))
