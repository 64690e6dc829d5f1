#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""The parts of tools/compare-peers that need no peers: figures, targets, tables, and how a run is ended."""
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from peers import contestants, figures, load, processes, report, sizes, tables, targets, ways


class Figures(unittest.TestCase):
    def test_the_interval_of_five_rounds_is_their_range_and_says_how_sure_it_is(self):
        e = figures.estimate([3, 1, 2, 5, 4])
        self.assertEqual((e.median, e.low, e.high, e.coverage), (3, 1, 5, 1 - 2 / 32))

    def test_more_rounds_leave_out_the_extremes_as_long_as_nine_of_ten_are_covered(self):
        for count, rank in ((5, 1), (7, 1), (8, 2), (11, 3), (20, 6)):
            e = figures.estimate(range(1, count + 1))
            self.assertEqual((e.low, e.high), (rank, count + 1 - rank), count)
            self.assertGreaterEqual(e.coverage, 0.9)
            self.assertLess(figures.coverage_of(count, rank + 1), 0.9)

    def test_one_round_is_its_own_interval(self):
        self.assertEqual(figures.estimate([7]), figures.Estimate(7, 7, 7, 0))

    def test_the_best_peer_has_the_least_median_not_the_luckiest_round(self):
        times = {"lucky": [1, 9, 9, 9, 9], "steady": [5, 5, 5, 5, 5], "absent": [None] * 5}
        self.assertEqual(figures.best_of(times), "steady")
        self.assertIsNone(figures.best_of({"absent": [None]}))

    def test_a_peer_that_fails_in_most_rounds_is_never_the_best(self):
        self.assertEqual(figures.best_of({"frail": [1, 1, None, None, None], "steady": [5] * 5}), "steady")
        self.assertEqual(figures.best_of({"shaken": [1, 1, None, 1, 1], "steady": [5] * 5}), "shaken")
        self.assertEqual(figures.middle([1, 2, None, None, 3]), 3)

    def test_ratios_are_taken_within_a_round_and_above_one_is_faster(self):
        c = figures.compare({8: {"us": [1, 2, 4], "them": [2, 4, 8], "others": [9, 9, 9]}}, "us", {"them", "others"})
        self.assertEqual(c.best, {8: "them"})
        self.assertEqual((c.sizes[8].median, c.sizes[8].low, c.sizes[8].high), (2, 2, 2))

    def test_a_round_without_a_result_counts_for_nothing(self):
        c = figures.compare({8: {"us": [1, None, 1], "them": [2, 2, 4]}}, "us", {"them"})
        self.assertEqual(c.rounds[8], [2, None, 4])
        self.assertEqual(c.sizes[8].median, 3)
        self.assertEqual(figures.compare({8: {"us": [None], "them": [2]}}, "us", {"them"}).sizes, {})
        self.assertEqual(figures.compare({8: {"us": [1], "them": [None]}}, "us", {"them"}).sizes, {})

    def test_the_geometric_mean_is_over_sizes_and_its_interval_over_rounds(self):
        times = {8: {"us": [1, 1, 1], "them": [2, 2, None]}, 64: {"us": [1, 1, 1], "them": [8, 2, 9]}}
        mean = figures.compare(times, "us", {"them"}).mean()
        self.assertTrue(math.isclose(mean.low, 2) and math.isclose(mean.high, 4))  # the third round is not whole
        self.assertTrue(math.isclose(figures.compare(times, "us", {"them"}).mean(lambda size: size == 8).median, 2))
        self.assertIsNone(figures.compare({}, "us", {"them"}).mean())


class Sizes(unittest.TestCase):
    def test_are_read_and_written_as_tutti_bench_reads_them(self):
        self.assertEqual(sizes.parse_sizes("1M,8,64K,8"), [8, 65536, 1048576])
        self.assertEqual([sizes.short(s) for s in (8, 512, 1024, 65536, 1 << 20, 1 << 30, 1000)],
                         ["8", "512", "1K", "64K", "1M", "1G", "1000"])
        for word in ("", "0", "K", "4X", "-8", "1.5M"):
            self.assertRaises(ValueError, sizes.parse_size, word)

    def test_a_wait_counts_by_its_longest_microseconds_and_is_shown_as_it_was_written(self):
        self.assertEqual([sizes.amount(w) for w in ("300us", "1.5ms", "1ms..20ms", "2s", 4096)],
                         [300, 1500, 20000, 2e6, 4096])
        self.assertEqual([sizes.label(w) for w in ("1ms..20ms", 4096)], ["1ms..20ms", "4K"])
        for word in ("", "5", "1ms..", "..1ms", "-1us", "1 h"):
            self.assertRaises(ValueError, sizes.parse_wait, word)


def exactly(value):
    return figures.Estimate(value, value, value, 1)


class Targets(unittest.TestCase):
    def test_are_met_when_the_upper_end_of_the_interval_reaches_them(self):
        self.assertTrue(targets.met(figures.Estimate(0.9, 0.8, 1.0, 0.9), 1.0))
        self.assertFalse(targets.met(figures.Estimate(0.9, 0.8, 0.99, 0.9), 1.0))

    def test_hold_at_their_sizes_only(self):
        t = targets.Target("tcp", "gloo", 2.5, smallest=1024, largest=4096)
        self.assertTrue(targets.judge(t, {8: exactly(1), 1024: exactly(3), 8192: exactly(1)}).met)
        self.assertEqual(list(targets.judge(t, {1024: exactly(3), 4096: exactly(2)}).missed), [4096])
        self.assertIsNone(targets.judge(t, {8: exactly(1)}))

    def test_a_geometric_mean_can_miss_where_every_size_meets(self):
        t = targets.Target("tcp", "peers", 0.95, 1.4)
        self.assertFalse(targets.judge(t, {8: exactly(1)}, exactly(1.3)).met)
        self.assertTrue(targets.judge(t, {8: exactly(1)}, exactly(1.4)).met)

    def test_depend_on_transport_ranks_operation_buffers_and_figure(self):
        found = targets.targets_for("tcp", 2, "allreduce", "plain")
        self.assertEqual([t.against for t in found], ["peers", "gloo", "gloo", "gloo", "probe"])
        self.assertEqual([t.against for t in targets.targets_for("tcp", 3, "broadcast", "plain")], ["mpi"])
        self.assertEqual(targets.targets_for("tcp", 2, "allreduce", "plain", "cpu"), [])
        self.assertEqual(targets.targets_for("shared_memory", 4, "allreduce", "symmetric")[0].every, 1.8)
        for figure, times in (("late", 2.5), ("behind", 1.3)):
            self.assertEqual([t.every for t in targets.targets_for("tcp", 2, "allreduce", "plain", figure)], [1 / times])

    def test_out_of_step_hold_for_waits_up_to_five_milliseconds(self):
        t = targets.targets_for("shared_memory", 2, "allreduce", "plain", "late")[0]
        found = targets.judge(t, {"300us": exactly(0.3), "5ms": exactly(0.4), "1ms..20ms": exactly(0.1)})
        self.assertEqual(list(found.missed), ["300us"])


def table_of(times, transport="tcp", ranks=2, operation="allreduce", notes=()):
    field = [*contestants.ours("auto"), *contestants.PEERS]
    names = {name for of_size in times.values() for name in of_size}
    return tables.Table(transport, ranks, operation, [c for c in field if c.name in names], times, times, list(notes), 0.0, cores=64)


class Tables(unittest.TestCase):
    slow = table_of({8: {"tutti": [4.0] * 5, "openmpi": [2.0] * 5, "mpich": [3.0] * 5, "gloo ring": [80.0] * 5},
                     65536: {"tutti": [10.0] * 5, "openmpi": [30.0] * 5, "mpich": [20.0] * 5, "gloo ring": [40.0] * 5}},
                    notes=["mpich at 64M, round 1: not done within 30 s"])

    def test_name_the_best_peer_of_each_size_and_mark_what_is_missed(self):
        head, small, large, mean = tables.ratio_cells(self.slow)
        row = dict(zip(head, small))
        self.assertEqual((row["bytes"], row["best"], row["peers/tutti"]), ("8", "openmpi", "0.50 [0.50, 0.50]!"))
        self.assertEqual((row["gloo/tutti"], row["cpu tutti"], row["cpu best"]), ("20.00 [20.00, 20.00]", "4.00", "2.00"))
        row = dict(zip(head, large))
        self.assertEqual((row["best"], row["peers/tutti"]), ("mpich", "2.00 [2.00, 2.00]"))
        self.assertEqual(row["gloo/tutti"], "4.00 [4.00, 4.00]!")
        self.assertEqual(dict(zip(head, mean))["peers/tutti"], "1.00 [1.00, 1.00]")

    def test_show_the_median_time_of_each_contestant(self):
        self.assertEqual(tables.time_cells(self.slow)[:2],
                         [["bytes", "tutti", "openmpi", "mpich", "gloo ring"], ["8", "4.00", "2.00", "3.00", "80.00"]])

    def test_say_below_what_became_of_each_target(self):
        said = list(tables.outcome(self.slow))
        self.assertIn("time beside peers: every size at least 0.95: missed at 8 (0.50 [0.50, 0.50])", said)
        self.assertIn("time beside peers: geometric mean at least 1.4: missed: 1.00 [1.00, 1.00]", said)
        self.assertIn("time beside gloo up to 64K: every size at least 5: missed at 64K (4.00 [4.00, 4.00])", said)
        self.assertEqual(said[-2:], ["mpich at 64M, round 1: not done within 30 s", "other work: 0.00 cores"])

    def test_say_how_far_bare_sockets_are_ahead_of_the_peers(self):
        crowded = table_of({8: {"tutti": [3.0] * 5, "openmpi": [4.0] * 5, "probe": [2.0] * 5}}, ranks=4)
        self.assertIn("peers beside bare sockets: geometric mean 2.00 [2.00, 2.00]",
                      list(tables.outcome(crowded)))
        self.assertFalse(any("bare sockets" in line for line in tables.outcome(self.slow)))

    def test_say_where_ranks_outnumber_the_cores(self):
        for ranks, cores, said in ((4, 2, 1), (2, 2, 0), (2, 1, 1)):
            table = table_of({8: {"tutti": [3.0] * 5}}, ranks=ranks)
            table.cores = cores
            self.assertEqual([*tables.outcome(table)].count(tables.crowd(ranks, cores)), said)
        self.assertIn("4 ranks share 2 cores", tables.crowd(4, 2))

    def test_say_where_a_target_is_met_by_the_width_of_an_interval_only(self):
        wide = table_of({8: {"tutti": [1.0] * 5, "openmpi": [0.2, 0.5, 0.5, 0.5, 3.0]}})
        self.assertIn("time beside peers: every size at least 0.95: met by the upper end alone at "
                      "8 (0.50 [0.20, 3.00])", list(tables.outcome(wide)))

        mixed = table_of({8: {"tutti": [1.0] * 5, "openmpi": [0.5] * 5},
                          64: {"tutti": [1.0] * 5, "openmpi": [0.2, 0.5, 0.5, 0.5, 3.0]}})
        self.assertIn("time beside peers: every size at least 0.95: missed at 8 (0.50 [0.50, 0.50]); met by the upper "
                      "end alone at 64 (0.50 [0.20, 3.00])", list(tables.outcome(mixed)))

    def test_hold_the_other_operations_against_mpi_at_every_size(self):
        for operation in targets.OTHERS:
            for transport in contestants.TRANSPORTS:
                for ranks in (2, 4):
                    slow = table_of({8: {"tutti": [2.0], "openmpi": [4.0], "mpich": [1.0]}}, transport, ranks, operation)
                    self.assertEqual(list(tables.outcome(slow))[:-1],
                                     ["time beside mpi: every size at least 1: missed at 8 (0.50 [0.50, 0.50])"])

    def test_stand_without_peers_and_without_results(self):
        self.assertEqual(tables.ratio_cells(table_of({8: {"tutti": [1.0]}})), [])
        lost = table_of({8: {"tutti": [None], "openmpi": [2.0]}})
        self.assertEqual(tables.time_cells(lost)[1], ["8", "-", "2.00"])
        self.assertEqual(tables.ratio_cells(lost)[1], ["8", "-", "-", "-", "-", "-"])
        self.assertEqual(list(tables.outcome(lost)), ["other work: 0.00 cores"])

    def test_eight_bytes_have_a_target_in_microseconds_that_the_lower_end_of_the_interval_must_keep(self):
        def said(*times):
            return list(tables.shortest(table_of({8: {"tutti": times}}, "shared_memory")))
        self.assertEqual(said(0.5, 0.6, 0.6, 0.7, 0.8), ["8 bytes under 0.65 us: met: 0.60 [0.50, 0.80] us"])
        self.assertEqual(said(0.6, 0.7, 0.8, 0.8, 0.9), ["8 bytes under 0.65 us: met by the lower end alone: "
                                                         "0.80 [0.60, 0.90] us"])
        self.assertEqual(said(0.65, 0.7, 0.7, 0.7, 0.7), ["8 bytes under 0.65 us: missed: 0.70 [0.65, 0.70] us"])

    def test_eight_bytes_are_held_against_the_bare_exchange_of_flags_round_by_round(self):
        def said(ours, flags):
            return list(tables.shortest(table_of({8: {"tutti": ours, "flags": flags}}, "shared_memory")))[1:]
        self.assertEqual(said([0.5, 0.3, 0.4], [0.4, 0.2, 0.3]),
                         ["8 bytes less the bare exchange of flags under 0.12 us: met: 0.10 [0.10, 0.10] us"])
        self.assertEqual(said([0.5, 0.5, None, 0.5], [0.25, 0.25, 0.25, None]),
                         ["8 bytes less the bare exchange of flags under 0.12 us: missed: 0.25 [0.25, 0.25] us"])
        self.assertEqual(said([0.5], [None]), [])

    def test_leave_a_place_empty_where_a_contestant_does_not_take_the_size(self):
        short = table_of({8: {"tutti": [2.0], "flags": [1.0]}, 8192: {"tutti": [4.0]}}, "shared_memory")
        self.assertEqual(tables.time_cells(short), [["bytes", "tutti", "flags"], ["8", "2.00", "1.00"], ["8K", "4.00", "-"]])
        self.assertEqual(tables.ratio_cells(short), [])

    def test_judge_symmetric_memory_by_its_own_targets_and_sizes(self):
        both = table_of({8: {"tutti": [1.0] * 5, "symmetric": [9.0] * 5, "openmpi": [2.0] * 5},
                         65536: {"tutti": [4.0] * 5, "symmetric": [2.0] * 5, "openmpi": [3.0] * 5}}, "shared_memory")
        head, _, large, _ = tables.ratio_cells(both)
        row = dict(zip(head, large))
        self.assertEqual((row["peers/tutti"], row["peers/symmetric"]), ("0.75 [0.75, 0.75]!", "1.50 [1.50, 1.50]!"))
        self.assertIn("time beside peers, symmetric memory, from 64K: every size at least 1.6: missed at "
                      "64K (1.50 [1.50, 1.50])", list(tables.outcome(both)))

    def test_are_aligned_as_text_and_closed_as_markdown(self):
        rows = [["bytes", "us"], ["8", "1.25"]]
        self.assertEqual(tables.as_text(rows), "bytes    us\n    8  1.25")
        self.assertEqual(tables.as_markdown(rows), "| bytes | us |\n|---:|---:|\n| 8 | 1.25 |")


class Report(unittest.TestCase):
    def setUp(self):
        times = {8: {"tutti": [1.0] * 5, "openmpi": [2.0] * 5}}
        self.results = [table_of(times, *where) for where in (("tcp", 2, "allreduce"), ("tcp", 4, "allreduce"),
                                                              ("shared_memory", 2, "broadcast"))]

    def test_has_in_markdown_a_section_for_each_operation_and_in_it_one_for_each_table(self):
        lines = report.as_markdown({"date": "today"}, "how", self.results).split("\n")
        self.assertEqual([line for line in lines if line.startswith("#")],
                         ["# tutti beside its peers", "## allreduce",
                          "### allreduce over tcp, 2 ranks, in place, vectors, unbound, in step, microseconds",
                          "### allreduce over tcp, 4 ranks, in place, vectors, unbound, in step, microseconds", "## broadcast",
                          "### broadcast over shared memory, 2 ranks, in place, vectors, unbound, in step, microseconds"])
        self.assertIn("- date: today", lines)
        self.assertEqual(lines.count("| bytes | tutti | openmpi |"), 3)

    def test_has_in_json_every_figure_of_every_round(self):
        found = report.as_json({}, self.results)["tables"]
        self.assertEqual([(t["operation"], t["ranks"]) for t in found], [("allreduce", 2), ("allreduce", 4), ("broadcast", 2)])
        self.assertEqual(found[2]["rows"][1],
                         {"bytes": 8, "contestant": "openmpi", "p50_us": [2.0] * 5, "cpu_us": [2.0] * 5})


class Ways(unittest.TestCase):
    def test_without_options_are_what_users_run_with_the_old_one_beside(self):
        self.assertEqual([way.name for way in ways.ways_of(None, None, None, None)],
                         ["vectors, unbound, in step", "vectors, bound, in step", "vectors, unbound, out of step",
                          "pages, unbound, in step"])

    def test_with_options_are_all_that_was_asked_for_and_vectors_unbound_in_step_otherwise(self):
        def names(*options):
            return [way.name for way in ways.ways_of(*options)]
        self.assertEqual(names(["page", "vector"], None, None, None), ["pages, unbound, in step", "vectors, unbound, in step"])
        self.assertEqual(names(None, 32, ["bound"], None), ["pages and 32 bytes, bound, in step"])
        self.assertEqual(names(None, None, None, ["1ms"]), ["vectors, unbound, out of step"])
        self.assertEqual(names(None, None, None, None, "loop"), ["vectors, unbound, in a loop"])

    def test_are_told_alike_to_ours_and_to_peers(self):
        way = ways.Way("page", 32, "bound", ("1ms",))
        row = contestants.Row("shared_memory", 2, "allreduce", 8, way, "1ms")
        commands = {c.name: " ".join(c.command(pathlib.Path("build"), row, 0.3, "room", "json")[0])
                    for c in [*contestants.ours("auto"), *contestants.PEERS] if c.takes(row)}
        self.assertEqual(list(commands), ["tutti", "openmpi", "mpich", "flags"])
        self.assertIn("--bind core --memory page --offset 32 --imbalance 1ms", commands["tutti"])
        self.assertIn(" --bind-to core ", commands["openmpi"])
        self.assertIn(" -bind-to core ", commands["mpich"])
        self.assertIn(" run -n 2 --bind core -- ", commands["flags"])
        for name in ("openmpi", "mpich", "flags"):
            self.assertTrue(commands[name].endswith(" allreduce 8 0.3 page 32 1ms room json"), commands[name])
        in_step = contestants.Row("tcp", 2, "allreduce", 8)
        tutti, gloo = contestants.ours("auto")[0], contestants.PEERS[2]
        self.assertIn("--bind none --memory vector", " ".join(tutti.command(pathlib.Path("build"), in_step, 1, "", "j")[0]))
        self.assertEqual(gloo.command(pathlib.Path("build"), in_step, 1, "r", "j")[0][-9:],
                         ["allreduce", "8", "1", "vector", "0", "none", "r", "j", "ring"])

    def test_in_a_loop_are_told_so_too(self):
        row = contestants.Row("tcp", 2, "pingpong", 8, ways.Way(timing="loop"))
        self.assertIn("--timing loop", " ".join(contestants.ours("auto")[0].command(pathlib.Path("build"), row, 1, "", "j")[0]))
        self.assertEqual(contestants.PEERS[0].command(pathlib.Path("build"), row, 1, "r", "j")[0][-3:], ["loop", "r", "j"])

    def test_out_of_step_have_a_table_of_late_calls_and_one_of_those_behind(self):
        times = {"300us": {"tutti": [30.0], "openmpi": [10.0]}, "5ms": {"tutti": [20.0], "openmpi": [10.0]}}
        field = [c for c in [*contestants.ours("auto"), *contestants.PEERS] if c.name in ("tutti", "openmpi")]
        way = ways.Way(imbalances=("300us", "5ms"))
        def told(figure, cpu):
            return tables.Table("tcp", 2, "allreduce", field, times, cpu, [], 0.0, way, figure, 8)
        late, behind = told("late", times), told("behind", {})
        self.assertEqual(tables.title(late), "allreduce over tcp, 2 ranks, in place, 8 bytes, vectors, unbound, out of step: "
                                             "the late rank's call, microseconds")
        self.assertEqual(tables.time_cells(late)[:2], [["late by", "tutti", "openmpi"], ["300us", "30.00", "10.00"]])
        self.assertEqual(tables.ratio_cells(late)[1],
                         ["300us", "openmpi", "0.33 [0.33, 0.33]!", "30.00", "10.00", "0.33 [0.33, 0.33]"])
        self.assertEqual(list(tables.outcome(late))[0], "late call beside peers up to 5000 us: every wait at least 0.4: "
                                                        "missed at 300us (0.33 [0.33, 0.33])")
        self.assertEqual(tables.ratio_cells(behind)[2], ["5ms", "openmpi", "0.50 [0.50, 0.50]!"])
        rows = [t["rows"][1] for t in report.as_json({}, [late, behind])["tables"]]
        self.assertEqual(rows[0], {"bytes": 8, "imbalance": "300us", "contestant": "openmpi", "p50_us": [10.0], "cpu_us": [10.0]})
        self.assertIsNone(rows[1]["cpu_us"])


class Load(unittest.TestCase):
    def test_is_user_nice_and_system_time_of_all_cores(self):
        ticks = load.TICKS_PER_S
        self.assertEqual(load.used_by_all(f"cpu  {ticks} {2 * ticks} {3 * ticks} 9 9 9 9 9\ncpu0 1 1 1 1"), 6)

    def test_does_not_blame_others_for_what_our_children_did(self):
        before = load.used_by_us()
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
        self.assertGreaterEqual(load.used_by_us() - before, 0.28)


class Contestants(unittest.TestCase):
    def test_take_part_only_where_they_can(self):
        def field(*row, size=8):
            return [p.name for p in contestants.PEERS if p.takes(contestants.Row(*row, size))]
        self.assertEqual(field("shared_memory", 2, "allreduce"), ["openmpi", "mpich", "flags"])
        self.assertEqual(field("shared_memory", 4, "allreduce"), ["openmpi", "mpich"])
        self.assertEqual(len(field("tcp", 2, "allreduce")), 7)
        self.assertIn(contestants.PROBE, field("tcp", 4, "allreduce"))
        self.assertNotIn(contestants.PROBE, field("tcp", 3, "allreduce"))
        self.assertEqual(field("tcp", 2, "broadcast"), ["openmpi", "mpich", "gloo"])

    def test_the_bare_exchange_of_flags_takes_small_vectors_and_is_no_peer(self):
        flags = next(p for p in contestants.PEERS if p.name == contestants.FLAGS)
        def takes(size):
            return flags.takes(contestants.Row("shared_memory", 2, "allreduce", size))
        self.assertTrue(takes(8) and takes(4096))
        self.assertFalse(takes(4100))
        self.assertEqual(contestants.names_in("peers", [flags]), set())


class Processes(unittest.TestCase):
    def test_a_failure_tells_its_last_words(self):
        with self.assertRaisesRegex(processes.Failed, "status 3: no luck"):
            processes.run(["sh", "-c", "echo no luck >&2; exit 3"], {}, 10)
        with self.assertRaisesRegex(processes.Failed, "No such file"):
            processes.run(["/nowhere/to/be/found"], {}, 10)

    def test_what_takes_too_long_is_ended_with_all_that_it_started_other_sessions_included(self):
        with tempfile.TemporaryDirectory() as folder:
            orphan, processes.GRACE_S = pathlib.Path(folder) / "orphan", 0.5
            with self.assertRaises(processes.TooSlow):
                processes.run(["sh", "-c", f"(setsid sh -c 'echo $$ > {orphan}; sleep 600' &); sleep 600"], {}, 0.5)
            self.assertNotIn(int(orphan.read_text()), processes.parents())
            self.assertEqual(processes.descendants(), [])


if __name__ == "__main__":
    unittest.main()
