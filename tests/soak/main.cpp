// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "options.hpp"
#include "tally.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace tutti::soak;

namespace {

using clock_type = std::chrono::steady_clock;
constexpr int most_jobs = 64;
using results = shared_array<result, most_jobs>;

volatile std::sig_atomic_t interrupted = 0;

/// A world is a process of its own, the launcher of its ranks: what happens to it happens to no other.
void perform_and_judge(const options& o, const plan& p, result& r) {
    const reports all;
    const outcome seen = perform(p, all);
    std::string findings;
    for (const auto& f : judge(p, all, seen, o.slack)) {
        ++r.flaws[static_cast<std::size_t>(f.what)];
        findings += std::string("  ") + flaws_in_words[static_cast<std::size_t>(f.what)] + ": " + f.text + "\n";
    }
    for (int k = 0; k < p.ranks; ++k) r.calls += all.of(k).calls.load();
    r.say(in_words(p) + in_words(p, all, seen) + (findings.empty() ? "  all is well\n" : findings));
    r.complete = true;
}

class runner {
public:
    explicit runner(const options& o) : options_(o), slots_(static_cast<std::size_t>(o.jobs)) {}

    /// All worlds of that time, or the one that was asked for.
    void run() {
        if (options_.world) {
            begin(slots_[0], *options_.world);
        } else {
            while (wanted()) {
                for (auto& s : slots_)
                    if (s.pid < 0 && wanted()) begin(s, next_++);
                round();
            }
        }
        while (busy()) round();
    }

    [[nodiscard]] int finish() const {
        if (::isatty(STDOUT_FILENO)) std::printf("\r\033[K");
        if (!options_.world) std::fputs(tally_.table(options_.seed, seconds()).c_str(), stdout);
        if (!options_.json.empty() && !(std::ofstream(options_.json) << tally_.json(options_.seed, seconds())))
            return std::fprintf(stderr, "cannot write %s\n", options_.json.c_str()), 1;
        return tally_.failed() ? 1 : 0;
    }

private:
    struct slot {
        pid_t pid = -1;
        plan what;
    };

    [[nodiscard]] double seconds() const { return std::chrono::duration<double>(clock_type::now() - begun_).count(); }
    [[nodiscard]] bool wanted() const { return !interrupted && seconds() < options_.seconds; }
    [[nodiscard]] bool busy() const {
        for (const auto& s : slots_)
            if (s.pid >= 0) return true;
        return false;
    }
    [[nodiscard]] result& result_of(const slot& s) const { return results_.of(static_cast<int>(&s - slots_.data())); }

    void begin(slot& s, std::uint64_t world) {
        s.what = draw(options_.seed, world, options_.deadline);
        if (options_.verbs && s.what.over != fabric::memory) {
            s.what.over = fabric::verbs;
            s.what.encrypted = false; // a world over RDMA refuses to encrypt
        }
        result_of(s) = result{};
        std::fflush(nullptr);
        const pid_t parent = ::getpid();
        s.pid = ::fork();
        if (s.pid < 0) throw std::runtime_error("no process can be forked");
        if (s.pid > 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(2);
        std::signal(SIGINT, SIG_IGN); // the worlds that have begun are brought to their end
        ::alarm(180);
        perform_and_judge(options_, s.what, result_of(s));
        ::_exit(0);
    }

    void round() {
        for (auto& s : slots_)
            if (s.pid >= 0 && ::waitpid(s.pid, nullptr, WNOHANG) == s.pid) collect(s);
        if (::isatty(STDOUT_FILENO) && clock_type::now() - told_ > std::chrono::seconds(1)) {
            std::printf("\r\033[K%s", tally_.progress(seconds()).c_str());
            std::fflush(stdout);
            told_ = clock_type::now();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

    void collect(slot& s) {
        s.pid = -1;
        auto& r = result_of(s);
        const auto command = command_for(options_, s.what.world);
        if (!r.complete) {
            ++r.flaws[static_cast<std::size_t>(flaw::hang)];
            r.say(in_words(s.what) + "  the world did not come to its end\n");
        }
        tally_.add(s.what, r, command);
        if (r.failed() || options_.world)
            std::printf("%s%s\n%s", ::isatty(STDOUT_FILENO) ? "\r\033[K" : "", command.c_str(), r.text.data());
        std::fflush(stdout);
    }

    options options_;
    results results_;
    std::vector<slot> slots_;
    tally tally_;
    std::uint64_t next_ = 0;
    clock_type::time_point begun_ = clock_type::now(), told_ = begun_;
};

} // namespace

int main(int count, char** arguments) {
    try {
        auto o = parsed(count, arguments);
        if (!o) return 0;
        o->jobs = std::min(o->jobs, most_jobs);
        take_private_shm();
        std::signal(SIGINT, [](int) { interrupted = 1; });
        runner all(*o);
        all.run();
        return all.finish();
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
