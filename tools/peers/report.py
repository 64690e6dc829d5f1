# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""All tables of a run together: as text for the screen, as Markdown and as JSON for files."""
from . import tables


def sections(table, layout):
    return [layout(cells) for cells in (tables.time_cells(table), tables.ratio_cells(table)) if cells]


def as_text(table):
    return "\n\n".join([f"{tables.title(table)}\n{table.way.told}", *sections(table, tables.as_text), "\n".join(tables.outcome(table))])


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
        {"transport": t.transport, "ranks": t.ranks, "operation": t.operation, "memory": t.way.memory,
         "offset": t.way.offset, "binding": t.way.binding, "figure": t.figure, "notes": t.notes,
         "other_work_cores": t.others,
         "rows": [{**({"bytes": key} if t.bytes is None else {"bytes": t.bytes, "imbalance": key}), "contestant": name,
                   "p50_us": t.times[key][name], "cpu_us": t.cpu[key][name] if t.cpu else None}
                  for key in t.times for name in t.times[key]]} for t in results]}
