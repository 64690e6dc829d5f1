// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../commands.hpp"
#include "../common/within.hpp"
#include "observed.hpp"
#include "output.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

namespace status = transport::status;

constexpr auto ps_description = "Show what the ranks of running jobs do, and which waits for which";

constexpr auto ps_footer =
    R"(Without JOB, the jobs of this user that have ranks on this host. With JOB (its id, or the beginning of it), its ranks:
the call under way, its step, the ranks that it waits for, since when, and its deadline; then which rank waits for which,
and one sentence on the root of the waiting. Ranks need not answer for that: each keeps a status page in
/dev/shm/tutti-UID, which is read as it is. So stopped, dead, computing and sleeping ranks are shown as well. Ranks of other hosts
are asked by way of rank 0: run it on the host of rank 0.

A job is seen once its ranks have met: while some have not come yet, it has no id.

A rank is 'outside of calls' while its program computes or sleeps, and 'elsewhere' while it has requests under way
and has not looked at them for a second. A dead rank's page stays as long as its job has other ranks on the host; those
of a job without any go when the next job starts. Ranks that are started with TUTTI_STATUS=0 have no page. Neither have
those that are threads over transport::memory.

Examples:
  tutti ps
  tutti ps 4f1c --watch 2
  tutti ps 4f1c --json | jq .root.sentence

Exit status:
  0  shown
  1  there is no such job
  2  the command line is wrong)";

struct ps_settings {
    std::string job;
    bool json = false, peers = false;
    double watch_s = 0;
};

/// The job of that id, or the only one whose id begins so.
const observed_job& chosen_of(const std::vector<observed_job>& jobs, const std::string& id) {
    const observed_job* found = nullptr;
    for (const observed_job& j : jobs) {
        if (!status::world_in_words(j.world).starts_with(id)) continue;
        if (found) throw std::invalid_argument(fmt::format("several jobs begin with '{}': write more of the id", id));
        found = &j;
    }
    if (!found) throw std::runtime_error(fmt::format("no job '{}' of this user has ranks on this host", id));
    return *found;
}

std::string seen(const ps_settings& s) {
    const auto jobs = observe_jobs();
    if (s.job.empty()) return s.json ? jobs_json(jobs) : jobs_text(jobs);
    observed_job job = chosen_of(jobs, s.job);
    if (job.here < job.size) ask_for_others(job);
    return s.json ? job_json(job) : job_text(job, s.peers);
}

void show(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

int show_jobs(const ps_settings& s) {
    constexpr auto clear = "\033[H\033[2J";
    show(seen(s));
    while (s.watch_s > 0) { // until a signal, or until the job is gone
        std::this_thread::sleep_for(std::chrono::duration<double>(s.watch_s));
        const std::string text = seen(s);
        show(isatty(STDOUT_FILENO) ? clear + text : "\n" + text);
        if (std::ferror(stdout) != 0) break; // of which main() tells
    }
    return 0;
}

} // namespace

void add_ps(CLI::App& app, action& chosen) {
    auto s = std::make_shared<ps_settings>();
    CLI::App* const command = app.add_subcommand("ps", ps_description);
    command->footer(ps_footer);
    command->add_option("job", s->job, "The job's id, or the beginning of it")->type_name("JOB");
    command->add_flag("--json", s->json, "Write JSON");
    command->add_flag("--peers", s->peers, "Show also how much each rank has sent to each");
    command->add_option("--watch", s->watch_s, "Show it again every S seconds, until a signal [default: once]")
        ->check(within(0.05, 1e6))
        ->type_name("S");
    command->callback([s, &chosen] { chosen = [s] { return show_jobs(*s); }; });
}

} // namespace tutti::tools
