# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""All tables of a run together: as text for the screen, as Markdown and as JSON for files."""
from . import tables


def sections(table, layout):
    return [layout(cells) for cells in (tables.time_cells(table), tables.ratio_cells(table)) if cells]


def as_text(table):
    return "\n\n".join([tables.title(table), *sections(table, tables.as_text), "\n".join(tables.outcome(table))])


def as_markdown(facts, about, results):
    """A section for each operation, in it one for each transport and number of ranks."""
    parts = ["# tutti beside its peers", "\n".join(f"- {name}: {text}" for name, text in facts.items()), about.strip()]
    for operation in dict.fromkeys(t.operation for t in results):
        parts.append(f"## {operation}")
        for t in results:
            if t.operation == operation:
                parts += [f"### {tables.title(t)}", *sections(t, tables.as_markdown),
                          "\n".join(f"- {sentence}" for sentence in tables.outcome(t))]
    return "\n\n".join(parts) + "\n"


def as_json(facts, results):
    return {**facts, "tables": [
        {"transport": t.transport, "ranks": t.ranks, "operation": t.operation, "notes": t.notes,
         "other_work_cores": t.others,
         "rows": [{"bytes": size, "contestant": name, "p50_us": t.times[size][name], "cpu_us": t.cpu[size][name]}
                  for size in t.times for name in t.times[size]]} for t in results]}
