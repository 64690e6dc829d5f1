#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The tutti authors
# SPDX-License-Identifier: MIT
"""tutti run --hosts with a shell of this host in place of ssh: what goes to the hosts, what comes back, and how it ends.

usage: run_hosts.py TUTTI
"""
import os
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import launches

# Takes the place of ssh: HOST COMMAND.
SHELL = """sh -c 'exec sh -c "$1"'"""
HERE = ("--launch-agent", SHELL, "--address", "127.0.0.1")


class Hosts(launches.Case):
    def test_ranks_lie_as_the_hosts_are_named_and_meet_where_rank_0_is(self):
        agent = """sh -c 'export ON=$0; exec sh -c "$1"'"""
        r = self.run_to_end("--hosts", "a,b:2,a", "--launch-agent", agent, "--address", "127.0.0.1", "sh", "-c",
                            "echo $TUTTI_RANK of $TUTTI_SIZE on $ON at $TUTTI_ADDRESS with ${#TUTTI_SECRET}, ${TUTTI_HOST-none}")
        self.assertEqual(r.status, 0, r)
        for rank, host in enumerate("abba"):
            self.assertIn(f"[{rank}] {rank} of 4 on {host} at 127.0.0.1:", r.text)
        self.assertEqual(r.text.count(" with 64, none\n"), 4, r)
        self.assertEqual(len({line.split()[6] for line in r.text.splitlines()}), 1, r)

    def test_a_hostfile_says_the_same_and_of_its_slots_the_first_are_taken(self):
        file = self.folder() / "hosts"
        file.write_text("a slots=2 # two\nb:5\n")
        r = self.run_to_end("--hostfile", str(file), "-n", "3", *HERE, "sh", "-c", "echo $TUTTI_SIZE")
        self.assertEqual(sorted(r.text.splitlines()), ["[0] 3", "[1] 3", "[2] 3"], r)
        file.write_text("a slots=two\n")
        r = self.run_to_end("--hostfile", str(file), *HERE, "true")
        self.assertEqual(r.status, 2, r)
        self.assertIn(f"{file}:1: 'slots=two'", r.text)

    def test_the_secret_is_neither_on_a_command_line_nor_in_the_environment_of_the_connection(self):
        seen = self.folder() / "seen"
        agent = f"""sh -c '{{ printf "%s " "$0" "$@"; env; cat /proc/$PPID/cmdline; }} >{seen}; exec sh -c "$1"'"""
        r = self.run_to_end("--hosts", "a", "--launch-agent", agent, "--address", "127.0.0.1", "sh", "-c",
                            "echo $TUTTI_SECRET; tr '\\0' ' ' </proc/$PPID/cmdline")
        secret = r.text.splitlines()[0].removeprefix("[0] ")
        self.assertEqual(len(secret), 64, r)
        self.assertIn("run-agent", seen.read_text())
        self.assertNotIn(secret, seen.read_text())
        self.assertNotIn(secret, r.text.replace(secret, "", 1), "the agent's own command line")

    def test_folder_and_chosen_variables_go_along_and_no_others(self):
        here = self.folder()
        agent = f"env -i PATH={os.environ['PATH']} {SHELL}"
        r = self.run_to_end("--hosts", "a", "--launch-agent", agent, "--address", "127.0.0.1", "--env", "MINE", "--env",
                            "GIVEN=a b=c", "sh", "-c", 'pwd; echo "$MINE, $GIVEN, $TUTTI_PORTS, ${OTHER-none}, ${TUTTI_HOST-none}"',
                            cwd=here, environment={"MINE": "x\xff", "OTHER": "y", "TUTTI_PORTS": "5000-5001", "TUTTI_HOST": "z"})
        self.assertEqual(r.text, f"[0] {here}\n[0] x\xff, a b=c, 5000-5001, none, none\n", r)
        r = self.run_to_end("--hosts", "a", *HERE, "--directory", "/", "pwd")
        self.assertEqual(r.text, "[0] /\n", r)
        r = self.run_to_end("--hosts", "a", *HERE, "--env", "NOT_SET_HERE", "true")
        self.assertEqual(r.status, 2, r)
        self.assertIn("NOT_SET_HERE is not set here", r.text)

    def test_output_comes_whole_by_lines_with_what_all_say_alike_told_once(self):
        r = self.run_to_end("--hosts", "a,b", *HERE, "sh", "-c", "seq 20000; printf end; echo problem >&2")
        self.assertEqual(r.status, 0, r)
        for rank in (0, 1):
            mine = [line for line in r.text.splitlines() if line.startswith(f"[{rank}] ")]
            numbers = [line for line in mine if line != f"[{rank}] problem"]
            self.assertEqual(numbers, [f"[{rank}] {n}" for n in [*range(1, 20001), "end"]])
            self.assertEqual(len(mine), len(numbers) + 1)
        r = self.run_to_end("--hosts", "a,b,a", *HERE, "sh", "-c", "echo terminate called by $TUTTI_RANK >&2; kill -ABRT $$")
        self.assertEqual(r.status, 128 + signal.SIGABRT, r)
        self.assertIn("[0-2] terminate called by {0,1,2}\n", r.text)

    def test_each_host_binds_its_ranks_from_the_first_processor_on(self):
        first, *others = sorted(os.sched_getaffinity(0))
        last = [first, *others][-1]
        for bind in (f"{first},{last}", "core"):
            r = self.run_to_end("--hosts", "a,b", *HERE, "--bind", bind, "grep", "Cpus_allowed_list", "/proc/self/status")
            self.assertEqual(sorted(r.text.split()), sorted(["[0]", "[1]", *["Cpus_allowed_list:", str(first)] * 2]), r)
        r = self.run_to_end("--hosts", "a:2", *HERE, "--bind", f"{last},{first}", "grep", "Cpus_allowed_list", "/proc/self/status")
        self.assertIn(f"[0] Cpus_allowed_list:\t{last}\n", r.text)
        self.assertIn(f"[1] Cpus_allowed_list:\t{first}\n", r.text)

    def test_a_bench_on_two_hosts_is_one_bench(self):
        r = self.run_to_end("--hosts", "a:2,b", *HERE, self.tutti, "bench", "--transport", "tcp", "-b", "8", "-e", "1K",
                            "-f", "128", "-n", "3")
        self.assertEqual(r.status, 0, r)
        self.assertEqual(r.text.count("# wrong elements: 0\n"), 1, r)
        self.assertIn("3 ranks", r.text)

    def test_the_first_failure_is_told_with_its_host_and_ends_the_others(self):
        r = self.run_to_end("--hosts", "a,b", *HERE, "--patience", "0.1", "sh", "-c",
                            "[ $TUTTI_RANK = 1 ] && exit 7; exec sleep 50")
        self.assertEqual(r.status, 7, r)
        self.assertIn("tutti run: rank 1 on b exited with status 7 after ", r.text)

    def test_a_rank_that_is_killed_is_told_with_its_host(self):
        r = self.run_to_end("--hosts", "a,b", *HERE, "--patience", "0", "sh", "-c",
                            "sleep 60 & [ $TUTTI_RANK = 0 ] && exit 1; sleep 0.02; kill -9 $$")
        self.assertEqual(r.status, 128 + signal.SIGKILL, r)
        self.assertIn("rank 1 on b was ended by signal 9 (SIGKILL) after ", r.text)

    def test_what_cannot_be_started_is_told_with_its_host(self):
        for wrong, status, words in (
                (("no-such-program",), 127, "cannot run no-such-program: No such file"),
                (("/etc",), 126, "cannot run /etc: Permission denied"),
                (("--directory", "/no/such", "true"), 1, "cannot go to the folder /no/such: No such file"),
                (("--tutti", "/no/such/tutti", "true"), 1, "/no/such/tutti")):
            r = self.run_to_end("--hosts", "a,b", *HERE, *wrong)
            self.assertEqual(r.status, status, r)
            self.assertIn(words, r.text)

    def test_too_few_descriptors_are_told_by_the_launcher_and_by_the_host(self):
        limited = f"""sh -c 'ulimit -n 64; exec sh -c "$1"'"""
        r = self.run_to_end("--hosts", "a,b:40", "--launch-agent", limited, "--address", "127.0.0.1", "true")
        self.assertEqual(r.status, 1, r)
        self.assertIn("host b: a launcher of 40 ranks needs 1", r.text)
        many = ",".join(f"h{i}" for i in range(40))
        r = self.run_to_end("--hosts", many, *HERE, "true",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        self.assertEqual(r.status, 1, r)
        self.assertIn("a launcher of 40 hosts needs 1", r.text)
        self.assertIn(" file descriptors and may have 64: raise the hard limit (ulimit -Hn)", r.text)

    def test_hosts_that_cannot_be_reached_are_all_named_and_no_rank_begins(self):
        agent = """sh -c '[ $0 = b ] && exec sh -c "$1"; echo no way to $0 >&2; exit 255'"""
        began = self.folder() / "began"
        r = self.run_to_end("--hosts", "a,b,c", "--launch-agent", agent, "--address", "127.0.0.1", "touch", str(began))
        self.assertEqual(r.status, 1, r)
        self.assertIn("2 of 3 hosts could not be reached:\n  a: no way to a\n  c: no way to c\n", r.text)
        self.assertFalse(began.exists())

    def test_a_host_that_does_not_answer_is_named_in_time(self):
        agent = """sh -c '[ $0 = a ] && exec sh -c "$1"; [ $0 = b ] && exec sleep 50; echo no way; exit 1'"""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        r = self.run_to_end("--hosts", "a,b,c", "--launch-agent", agent, "--reach", "1", "true")
        self.assertEqual(r.status, 1, r)
        self.assertIn("2 of 3 hosts could not be reached:\n  b: no answer within 1 s\n  c: no way\n", r.text)
        self.assertLess(r.seconds, 10)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 0.4, "it waits without spinning")

    def test_a_name_that_does_not_resolve_is_told_before_ranks_begin(self):
        r = self.run_to_end("--hosts", "no-such-host.invalid", "--launch-agent", SHELL, "true")
        self.assertEqual(r.status, 1, r)
        self.assertIn("does not know rank 0's host no-such-host.invalid: ", r.text)
        self.assertIn("--address", r.text)

    def test_what_a_shell_prints_at_login_does_no_harm(self):
        agent = """sh -c 'echo Welcome; printf "no newline"; echo careful >&2; exec sh -c "$1"'"""
        r = self.run_to_end("--hosts", "a", "--launch-agent", agent, "--address", "127.0.0.1", "echo", "ready")
        self.assertEqual(r.status, 0, r)
        self.assertIn("[0] ready\n", r.text)
        self.assertIn("[a] careful\n", r.text)

    def test_what_is_no_agent_is_refused(self):
        agent = r"""sh -c 'printf "tutti-agent 2\nnonsense, more of it"; exec sleep 50'"""
        r = self.run_to_end("--hosts", "a", "--launch-agent", agent, "true")
        self.assertEqual(r.status, 1, r)
        self.assertIn("is not what an agent of this tutti says", r.text)

    def test_signals_are_passed_on(self):
        here = self.folder()
        r = self.launch("--hosts", "a,b", *HERE, "--grace", "20", "sh", "-c",
                        f"trap 'echo got it; exit 5' INT; echo y >{here}/$TUTTI_RANK; while :; do sleep 0.02; done")
        self.text_of(here / "0"), self.text_of(here / "1")
        r.process.send_signal(signal.SIGINT)
        outcome = r.outcome()
        self.assertEqual((outcome.status, outcome.text.count("] got it\n")), (5, 2), outcome)
        self.assertEqual(r.left(), [])

    def test_a_signal_before_the_hosts_have_answered_ends_it(self):
        r = self.launch("--hosts", "a", "--launch-agent", "sleep 50; true", "true")
        time.sleep(0.3)
        r.process.send_signal(signal.SIGINT)
        outcome = r.outcome()
        self.assertEqual(outcome.status, 128 + signal.SIGINT, outcome)
        self.assertIn("SIGINT before all hosts had answered", outcome.text)
        self.assertEqual(r.left(), [])

    def test_who_does_not_listen_is_killed_at_the_deadline(self):
        r = self.run_to_end("--hosts", "a,b", *HERE, "--deadline", "0.3", "--grace", "0.2", "sh", "-c",
                            "trap '' TERM; while :; do sleep 1; done")
        self.assertEqual(r.status, 124, r)
        self.assertIn("not done after 0.3 s", r.text)
        self.assertLess(r.seconds, 10)

    def test_a_reader_who_stalls_does_not_hold_up_the_deadline(self):
        reading, writing = os.pipe()
        r = self.launch("--hosts", "a", *HERE, "--deadline", "0.3", "--grace", "20", "yes", stdout=writing,
                        stderr=writing)
        os.close(writing)
        self.assertEqual(r.outcome().status, 124)
        self.assertEqual(r.left(), [])
        os.close(reading)

    def launch_below_wrappers(self, *where):
        """Three ranks, each with a child, and with a grandchild in a group and one in a session of its own."""
        here = self.folder()
        r = self.launch(*where, "sh", "-c", f"sleep 50 & timeout 50 sleep 50 & setsid sleep 50 & "
                                            f"echo $PPID >{here}/$TUTTI_RANK; wait")
        supervisors = [int(self.text_of(here / str(rank))) for rank in range(3)]
        self.assertGreater(len(r.left(0)), 12)
        return r, supervisors

    def test_no_process_is_left_when_the_launcher_is_killed(self):
        for where in (("-n", "3"), ("--hosts", "a,b:2", *HERE)):
            with self.subTest(where):
                r, _ = self.launch_below_wrappers(*where)
                r.process.kill()
                self.assertEqual(r.outcome().status, -signal.SIGKILL)
                self.assertEqual(r.left(), [])

    def test_no_process_is_left_when_what_supervises_the_ranks_is_killed(self):
        for where in (("-n", "3"), ("--hosts", "a,b:2", *HERE)):
            with self.subTest(where):
                r, supervisors = self.launch_below_wrappers(*where)
                for supervisor in set(supervisors):
                    os.kill(supervisor, signal.SIGKILL)
                outcome = r.outcome()
                self.assertIn("the process that supervises the ranks was ended by signal 9 (SIGKILL)", outcome.text)
                self.assertEqual(outcome.status, 1 if "--hosts" in where else 128 + signal.SIGKILL, outcome)
                self.assertEqual(r.left(), [])

    def test_no_process_is_left_when_a_rank_fails(self):
        here = self.folder()
        r = self.run_to_end("-n", "2", "--patience", "0", "sh", "-c",
                            f"[ $TUTTI_RANK = 1 ] && {{ until [ -e {here}/0 ]; do sleep 0.01; done; exit 3; }}; "
                            f"setsid sleep 50 & echo y >{here}/0; wait")
        self.assertEqual(r.status, 3, r)

    def test_what_a_rank_left_in_a_session_of_its_own_ends_unless_the_rank_ended_well(self):
        leave = "setsid sleep 50 >/dev/null 2>&1 & sleep 0.3; exit "
        for where in (("-n", "1"), ("--hosts", "a", *HERE)):
            with self.subTest(where):
                r = self.run_to_end(*where, "sh", "-c", leave + "3")
                self.assertEqual(r.status, 3, r)
                r = self.launch(*where, "sh", "-c", leave + "0")
                self.assertEqual(r.outcome().status, 0)
                self.assertEqual(len(r.left(0)), 1)

    def as_shell(self, line):
        """A program that a shell becomes by exec once it has done this line. Its first argument is dropped."""
        file = self.folder() / "shell"
        file.write_text(f'#!/bin/sh\n{line}\nshift\nexec {self.tutti} "$@"\n')
        file.chmod(0o755)
        return str(file)

    def test_what_the_shell_started_before_it_became_the_command_is_spared(self):
        here = self.folder()
        shell = self.as_shell(f"sh -c 'sleep 50 & echo $! >{here}/below; wait' >/dev/null 2>&1 & echo $! >{here}/child")
        for command, status in ((("bench", "--transport", "tcp", "--ranks", "2", "-n", "100000000"), 128 + signal.SIGINT),
                                (("run", "-n", "2", "sh", "-c", "kill -KILL $PPID; sleep 50"), 128 + signal.SIGKILL)):
            with self.subTest(command):
                r = launches.Launch(shell, *command)
                self.addCleanup(r.clean)
                spared = sorted(int(self.text_of(here / name)) for name in ("child", "below"))
                if command[0] == "bench":
                    self.assertIn("# tutti bench", r.process.stdout.readline()) # its ranks run
                    r.process.send_signal(signal.SIGINT)
                outcome = r.outcome()
                left = sorted(r.left(0.5))
                (here / "child").unlink(), (here / "below").unlink()
                self.assertEqual((outcome.status, left), (status, spared), outcome)

    def test_who_has_numbers_of_another_namespace_is_not_killed(self):
        """Where /proc is not its own, the launcher's supervisor is 501, and there 501 has a child 600."""
        last = "/proc/sys/kernel/ns_last_pid"
        apart = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*apart, "sh", "-c", f"echo 99 >{last}"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no namespaces can be made")
        inner = (f"echo 599 >{last}; sleep 20 & echo 499 >{last}; {self.tutti} run -n 1 --deadline 0.3 sh -c 'echo $PPID; "
                 "exec sleep 20'; kill $!; wait $!; echo $?")
        outer = (f"echo 500 >{last}; sh -c 'echo 599 >{last}; sleep 20 & echo $$ $!; wait' & sleep 0.3; "
                 f"unshare --pid --fork sh -c \"$INNER\"")
        r = subprocess.run([*apart, "sh", "-c", outer], env={**os.environ, "INNER": inner}, stdout=subprocess.PIPE, text=True,
                           timeout=30)
        self.assertEqual(r.stdout, f"501 600\n[0] 501\n{128 + signal.SIGTERM}\n")

    def test_orphans_are_reaped_while_it_runs(self):
        shell = self.as_shell("sleep 0.1 & export EARLIER=$!")
        r = launches.Launch(shell, "run", "-n", "1", "sh", "-c", "sleep 0.5; cat /proc/$EARLIER/stat || echo reaped")
        self.addCleanup(r.clean)
        self.assertIn("[0] reaped\n", r.outcome().text)

    def test_signals_that_it_was_started_to_ignore_end_neither_it_nor_its_ranks(self):
        here = self.folder()
        for where in (("-n", "1"), ("--hosts", "a", *HERE)):
            with self.subTest(where):
                r = self.launch(*where, "sh", "-c", f"echo y >{here}/0; sleep 0.5; kill -HUP $$; kill -INT $$; echo alive",
                                preexec_fn=lambda: launches.signals(signal.SIG_IGN))
                self.text_of(here / "0")
                for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
                    r.process.send_signal(number)
                outcome = r.outcome()
                self.assertEqual((outcome.status, outcome.text), (0, "[0] alive\n"), outcome)
                (here / "0").unlink()

    def test_a_launcher_that_is_stopped_writes_nothing_until_it_goes_on(self):
        here = self.folder()
        r = self.launch("-n", "1", "sh", "-c", f"while :; do echo y; echo y >{here}/0; sleep 0.01; done", process_group=0)
        self.text_of(here / "0")
        for going, number in ((False, signal.SIGTSTP), (True, signal.SIGCONT)):
            os.kill(r.process.pid, number)
            time.sleep(0.3)
            os.set_blocking(r.process.stdout.fileno(), False)
            r.process.stdout.buffer.read()
            time.sleep(0.3)
            self.assertEqual(bool(r.process.stdout.buffer.read()), going)
        os.kill(r.process.pid, signal.SIGTERM)
        os.set_blocking(r.process.stdout.fileno(), True)
        self.assertEqual(r.outcome().status, 128 + signal.SIGTERM)

    def test_a_host_whose_agent_is_killed_is_lost_and_ends_the_others(self):
        here = self.folder()
        r = self.launch("--hosts", "a,b", *HERE, "--patience", "0", "sh", "-c",
                        f"echo $PPID >{here}/$TUTTI_RANK; exec sleep 50")
        self.text_of(here / "0")
        os.kill(int(self.text_of(here / "1")), signal.SIGKILL)
        outcome = r.outcome()
        self.assertEqual(outcome.status, 1, outcome)
        self.assertIn("rank 1 was lost after ", outcome.text)
        self.assertIn("host b: tutti: the process that supervises the ranks was ended by signal 9 (SIGKILL)", outcome.text)
        self.assertEqual(r.left(), [])

    def test_wrong_usage_exits_with_2(self):
        for wrong in (("--hosts", "a"), ("--hosts", "a:0", "true"), ("--hosts", "-x", "true"), ("--hosts", "2", "true"),
                      ("--hosts", "a", "-n", "2", "true"), ("--hosts", "a", "--hostfile", "b", "true"),
                      ("--hosts", "a", "--pretend-hosts", "2", "true"), ("-n", "1", "--tutti", "x", "true"), ("--hosts", "a", "--env", "=x", "true")):
            self.assertEqual(self.run_to_end(*wrong).status, 2, wrong)


if __name__ == "__main__":
    launches.main(__name__)
