# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""The report of tools/gpu-check, and the machine file that is made of its figures."""
import json

LATENCY, PACKETS = "latency of a word between 2 ranks", "packets of 16 bytes, 2 ranks"
ONE_SHOT, MESSAGE = "one shot of 16 bytes, 2 ranks", "message of 16 bytes by the device engine"
FUSED, EAGER = "fused update", "update by PyTorch, eager"


def values_of(sections):
    """The facts and figures of all sections, by name."""
    return {line[1]: line[2] for s in sections for line in s["lines"] if line[0] in ("fact", "figure")}


def comparisons(sections):
    """Figures that are made of two others."""
    told = values_of(sections)
    if FUSED not in told or EAGER not in told:
        return []
    ratio = float(told[EAGER]) / float(told[FUSED])
    return [["figure", "fused update, times as fast as PyTorch's eager one", f"{ratio:.3g}", "", "2 or more",
             "yes" if ratio >= 2 else "no"]]


def markdown(sections, seconds):
    lines = ["# The kernels on a GPU", "", f"Made by `tools/gpu-check` in {seconds:.0f} s.", ""]
    for s in sections:
        lines += [f"## {s['section']}: {s['outcome']}", ""] + ([s["why"], ""] if s["why"] else [])
        rows = {kind: [line[1:] for line in s["lines"] if line[0] == kind] for kind in ("fact", "check", "figure")}
        passed = [row for row in rows["check"] if row[0] == "passed"]
        lines += [f"- {what}: {value}" for what, value in rows["fact"]]
        lines += [f"- {len(passed)} of {len(rows['check'])} checks passed"] if rows["check"] else []
        lines += [f"- failed: {row[1]}: {row[2][:500]}" for row in rows["check"] if row[0] != "passed"]
        if rows["figure"]:
            lines += ["", "| figure | | target | met |", "|---|---:|---|---|"]
            lines += [f"| {what} | {value} {unit} | {target} | {met if target else ''} |"
                      for what, value, unit, target, met in rows["figure"]]
        lines.append("")
    return "\n".join(lines)


def machine_of(sections):
    """What tutti model takes, for ranks that share the GPU of a report; None where figures are missing.

    Packets take a launch and a latency: so the launch has all that a call does besides. One shot takes a launch, two
    meetings and four latencies. A message takes a launch, its post and its acknowledgement, each a signal and a latency,
    and a load of two latencies.
    """
    told = values_of(sections)
    copies = [float(rate) for what, rate in told.items() if what.startswith("copy of ") and what.endswith(" by a kernel")]
    if not copies or any(name not in told for name in (LATENCY, PACKETS, ONE_SHOT, MESSAGE)):
        return None
    latency, packets, shot, message = (1e-6 * float(told[name]) for name in (LATENCY, PACKETS, ONE_SHOT, MESSAGE))
    launch = max(0.0, packets - latency)
    within = {"latency_s": latency, "meeting_s": max(0.0, (shot - launch - 4 * latency) / 2),
              "signal_s": max(0.0, (message - launch - 4 * latency) / 2)}
    made = f"measured by tools/gpu-check on {told.get('device', 'a GPU')}, for ranks that share it"
    return {"tutti_machine": 1, "made": made,
            "gpus": {"devices": 1, "launch_s": launch, "memory_s_per_byte": 1e-9 / max(copies), "within": within,
                     "links": None}}


def write_report(sections, seconds, out):
    (out / "report.md").write_text(markdown(sections, seconds))
    (out / "report.json").write_text(json.dumps(sections, indent=1))


def write_machine(sections, out):
    """Whether there was all that it takes."""
    machine = machine_of(sections)
    if machine:
        (out / "machine.json").write_text(json.dumps(machine, indent=2) + "\n")
        print(f"machine: {out / 'machine.json'}")
    return machine is not None
