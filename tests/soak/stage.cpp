// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "stage.hpp"

#include "enter.hpp"

#include "support/loopback_six.hpp"
#include "support/processes.hpp"

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <functional>
#include <set>
#include <thread>

namespace tutti::soak {

namespace {

using namespace std::chrono_literals;
using test::processes;
using clock = std::chrono::steady_clock;

/// But for the folder of status pages: it stays, and so do pages of killed ranks until the next start.
std::set<std::string> names_in_shm() {
    std::set<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", none))
        if (!entry.is_directory(none)) names.insert(entry.path().filename().string());
    return names;
}

/// Until it holds, for a while; false if it never did.
bool await(const std::function<bool()>& holds, std::chrono::milliseconds most) {
    for (const auto end = clock::now() + most; !holds(); std::this_thread::sleep_for(200us))
        if (clock::now() > end) return false;
    return true;
}

void live(const plan& p, int rank, const reports& all, const reserved_port& at) {
    switch (p.over) {
    case fabric::memory: return play_over_memory(p, all);
    case fabric::shared_memory: return play_over_shared_memory(p, rank, all, at);
    case fabric::tcp: return play_over_tcp(p, rank, all, at);
    case fabric::routed: return play_over_routed(p, rank, all, at);
    case fabric::verbs: return play_over_verbs(p, rank, all, at);
    }
}

bool over(const reports& all, int rank) { return all.of(rank).over.load(std::memory_order_acquire); }

/// All but the victim have an error, or have ended without.
bool others_were_told(const plan& p, const reports& all) {
    for (int r = 0; r < p.ranks; ++r)
        if (r != p.upset.victim && !over(all, r) && !all.of(r).failed.load(std::memory_order_acquire)) return false;
    return true;
}

/// All ranks have what they go on with when the victim is gone.
bool ready_for_the_aftermath(const plan& p, const reports& all) {
    for (int r = 0; p.aftermath && r < p.ranks; ++r)
        if (all.of(r).step.load(std::memory_order_acquire) < 1) return false;
    return true;
}

/// Sends the victim its signals at their time. A victim that has come to its end before is left alone.
void upset(const plan& p, const reports& all, processes& ranks, outcome& seen) {
    const auto& f = p.upset;
    const bool kills = f.what == fault_kind::kill;
    if (!kills && f.what != fault_kind::stop_short && f.what != fault_kind::stop_long) return;
    const auto& victim = all.of(f.victim);
    const auto due = [&] { return victim.step.load() >= f.step && ready_for_the_aftermath(p, all); };
    if (!await([&] { return due() || over(all, f.victim); }, test::patience)) return;
    std::this_thread::sleep_for(std::chrono::microseconds(f.pause_us));
    if (over(all, f.victim)) return;
    ranks.send(f.victim, kills ? SIGKILL : SIGSTOP);
    seen.upset = true;
    if (kills) return;
    if (f.what == fault_kind::stop_short)
        std::this_thread::sleep_for(std::chrono::milliseconds(f.duration_ms));
    else
        await([&] { return others_were_told(p, all); }, p.deadline + 10s);
    seen.went_on = ranks.send(f.victim, SIGCONT);
}

void look_for_leftovers(const std::set<std::string>& before, outcome& seen) {
    for (const auto& name : names_in_shm())
        if (!before.contains(name)) seen.leftover.push_back("/dev/shm/" + name);
    if (const auto left = ::waitpid(-1, nullptr, WNOHANG); left >= 0 || errno != ECHILD)
        seen.leftover.emplace_back("a process that no rank waited for");
}

} // namespace

outcome perform(const plan& p, const reports& all) {
    outcome seen;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1); // what a rank leaves behind comes to us
    const auto before = names_in_shm();
    {
        const reserved_port at(p.six && test::has_loopback_six() ? "::1" : "127.0.0.1");
        processes ranks;
        for (int r = 0; r < (p.over == fabric::memory ? 1 : p.ranks); ++r)
            ranks.start([&](int rank, test::account&) { live(p, rank, all, at); });
        upset(p, all, ranks, seen);
        for (int r = 0; r < ranks.size(); ++r) seen.ends.push_back(ranks.end(r));
    }
    look_for_leftovers(before, seen);
    return seen;
}

void take_private_shm() noexcept {
    if (::unshare(CLONE_NEWNS) != 0) return;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return;
    static_cast<void>(::mount("tmpfs", "/dev/shm", "tmpfs", 0, nullptr));
}

} // namespace tutti::soak
