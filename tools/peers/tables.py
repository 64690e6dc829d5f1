# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""What is printed: a table of one operation over one transport with one number of ranks, and what became of the targets."""
import dataclasses
import math
import os

from .contestants import FLAGS, IN_PLACE, OURS as BOTH, PROBE, names_in
from .figures import compare, differences, estimate, known, middle, ratios_to
from .sizes import amount, label, short
from .targets import LARGEST, SHORTEST_US, SOFTWARE_US, judge, kept, targets_for
from .ways import BEHIND, Way

OURS, SYMMETRIC = BOTH
FIGURES = {"time": "time", "cpu": "processor time", "late": "late call", "behind": "calls behind"}
MOST_OTHER_WORK = 0.1  # cores: with more, spinning contestants are thrown off theirs


@dataclasses.dataclass
class Table:
    transport: str
    ranks: int
    operation: str
    contestants: list
    times: dict  # size or wait -> name -> p50 in microseconds of each round, None where there is none
    cpu: dict  # likewise, microseconds of processor time of one operation, all ranks together; empty: not told here
    notes: list  # sentences on what has no result
    others: float  # cores that other work used meanwhile
    way: Way = Way()
    figure: str = "time"  # or late, behind: of calls out of step
    bytes: int | None = None  # out of step: of all rows
    cores: int = dataclasses.field(default_factory=lambda: len(os.sched_getaffinity(0)))  # that ranks may use

    @property
    def groups(self):
        """The groups that ours is compared with: those of the targets, as far as they took part."""
        wanted = dict.fromkeys(
            t.against for t in targets_for(self.transport, self.ranks, self.operation, "plain", self.figure))
        return [group for group in wanted or ["peers"] if names_in(group, self.contestants)]

    @property
    def main_group(self):
        return self.groups[0] if self.groups else None

    @property
    def has_symmetric(self):
        return any(c.name == SYMMETRIC for c in self.contestants)

    @property
    def head(self):
        return "bytes" if self.bytes is None else "late by"

    def comparison(self, group, ours=OURS):
        return compare(self.times, ours, names_in(group, self.contestants))

    def cpu_ratios(self):
        return ratios_to(self.comparison(self.main_group).best, self.cpu, OURS) if self.cpu else {}

    def verdicts(self):
        found = []
        in_step = (("time", "plain"), ("time", "symmetric"), ("cpu", "plain"))
        for figure, buffers in in_step if self.figure == "time" else ((self.figure, "plain"),):
            for target in targets_for(self.transport, self.ranks, self.operation, buffers, figure):
                if not names_in(target.against, self.contestants) or (buffers == "symmetric" and not self.has_symmetric):
                    continue
                if figure == "cpu":
                    found.append(judge(target, self.cpu_ratios()))
                    continue
                c = self.comparison(target.against, SYMMETRIC if buffers == "symmetric" else OURS)
                mean = c.mean(lambda size: target.smallest <= amount(size) <= target.largest) if target.mean else None
                found.append(judge(target, c.sizes, mean))
        return [v for v in found if v is not None]


def figure(value):
    """Three digits that matter or more, as `tutti bench` prints them."""
    return f"{value:.0f}" if value >= 999.95 else f"{value:.1f}" if value >= 99.995 else f"{value:.2f}"


def ratio(e, missed=False):
    return "-" if e is None else f"{e.median:.2f} [{e.low:.2f}, {e.high:.2f}]" + ("!" if missed else "")


def median(values):
    return figure(middle(values)) if values and middle(values) < math.inf else "-"


def title(table):
    place = "in place" if table.operation in IN_PLACE else "out of place"
    of = "" if table.bytes is None else f", {short(table.bytes)} bytes"
    what = {"time": "", "late": ": the late rank's call", "behind": f": the {BEHIND} calls behind"}[table.figure]
    return (f"{table.operation} over {table.transport.replace('_', ' ')}, {table.ranks} ranks, {place}{of}, "
            f"{table.way.name}{what}, microseconds")


def time_cells(table):
    """The p50 of each contestant, as rows of text, the first of them the head."""
    names = [c.name for c in table.contestants]
    return [[table.head, *names]] + [[label(size), *(median(times.get(name, [])) for name in names)]
                                  for size, times in table.times.items()]


def ratio_cells(table):
    """The ratios to the best of each group, and processor time; nothing if there is nobody to compare with."""
    columns = {group: table.comparison(group) for group in table.groups}
    if not columns:
        return []
    missed = {(v.target.figure, v.target.buffers, v.target.against, size) for v in table.verdicts() for size in v.missed}
    main, cpu = columns[table.main_group], table.cpu_ratios()
    symmetric = {table.main_group: table.comparison(table.main_group, SYMMETRIC)} if table.has_symmetric else {}
    told = [f"cpu {OURS}", "cpu best", f"cpu best/{OURS}"] if table.cpu else []
    rows = [[table.head, "best", *(f"{group}/{OURS}" for group in columns), *(f"{group}/{SYMMETRIC}" for group in symmetric), *told]]
    for size in table.times:
        best = main.best.get(size)
        rows.append([label(size), best or "-",
                     *(ratio(c.sizes.get(size), (table.figure, "plain", group, size) in missed) for group, c in columns.items()),
                     *(ratio(c.sizes.get(size), ("time", "symmetric", group, size) in missed)
                       for group, c in symmetric.items()),
                     *([median(table.cpu[size].get(OURS, [])), median(table.cpu[size].get(best, [])),
                        ratio(cpu.get(size), ("cpu", "plain", table.main_group, size) in missed)] if told else [])])
    return rows + [["geometric mean", "", *(ratio(c.mean()) for c in [*columns.values(), *symmetric.values()]), *("" for _ in told)]]


def as_text(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def as_markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---:|" * len(rows[0]), *lines[1:]])


def words(target):
    memory = ", symmetric memory," if target.buffers == "symmetric" else ""
    bounds = f" from {short(target.smallest)}" if target.smallest else ""
    if target.largest != LARGEST:
        bounds += f" up to {short(target.largest) if target.figure in ('time', 'cpu') else f'{target.largest} us'}"
    return f"{FIGURES[target.figure]} beside {target.against}{memory}{bounds}"


def places(sizes):
    return ", ".join(f"{label(size)} ({ratio(e)})" for size, e in sizes.items())


def sentences(verdict):
    """One line for what every size must reach, one for the geometric mean."""
    t = verdict.target
    said = f"missed at {places(verdict.missed)}" if verdict.missed else "met"
    if verdict.doubtful:
        said += f"{'; met' if verdict.missed else ''} by the upper end alone at {places(verdict.doubtful)}"
    yield f"{words(t)}: every {'size' if t.figure in ('time', 'cpu') else 'wait'} at least {t.every:.2g}: {said}"
    if t.mean is not None and verdict.mean is not None:
        said = "met" if verdict.mean_met else "missed"
        if verdict.mean_met and verdict.mean.median < t.mean:
            said += " by the upper end alone"
        yield f"{words(t)}: geometric mean at least {t.mean:g}: {said}: {ratio(verdict.mean)}"


def under(what, us, values):
    """A line on what has to stay below so many microseconds; none without values."""
    if values:
        e = estimate(values)
        said = "missed" if not kept(e, us) else "met" if e.median < us else "met by the lower end alone"
        yield f"{what} under {us:g} us: {said}: {ratio(e)} us"


def shortest(table):
    """The targets in microseconds, where the table holds them."""
    if (table.transport, table.ranks, table.operation, table.figure) != ("shared_memory", 2, "allreduce", "time"):
        return
    times = table.times.get(8, {})
    ours = times.get(OURS, [])
    yield from under("8 bytes", SHORTEST_US, known(ours))
    yield from under("8 bytes less the bare exchange of flags", SOFTWARE_US, differences(ours, times.get(FLAGS, [])))


def limit(table):
    """What no library could exceed that sends as the bare sockets do."""
    mean = table.comparison(table.main_group, PROBE).mean() if table.main_group and table.figure == "time" else None
    if mean is not None:
        yield f"peers beside bare sockets: geometric mean {ratio(mean)}"


def crowd(ranks, cores):
    return f"{ranks} ranks share {cores} core{'s' if cores != 1 else ''}"


def outcome(table):
    """Everything below a table."""
    yield from (line for verdict in table.verdicts() for line in sentences(verdict))
    yield from shortest(table)
    yield from limit(table)
    yield from table.notes
    if table.ranks > table.cores:
        yield crowd(table.ranks, table.cores)
    yield (f"other work: {table.others:.2f} cores"
           + (": measure again when nothing else runs" if table.others > MOST_OTHER_WORK else ""))
