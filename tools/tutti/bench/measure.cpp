// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/meeting.hpp"
#include "../common/quantities.hpp"
#include "../common/random.hpp"
#include "../common/trace_file.hpp"
#include "check.hpp"
#include "data.hpp"
#include "overlap.hpp"
#include "report.hpp"
#include "testbed.hpp"

#include <collectives/model/price.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

std::int64_t nanoseconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

std::int64_t now_ns() { return nanoseconds(CLOCK_MONOTONIC); }

/// The number of microseconds nearest to what was measured, which prints as such: no double holds 591 ns more shortly.
double microseconds(std::int64_t from_ns, std::int64_t to_ns) { return static_cast<double>(to_ns - from_ns) / 1e3; }
double us_since(std::int64_t begin_ns) { return microseconds(begin_ns, now_ns()); }

moment at(std::int64_t ns) { return moment{std::chrono::nanoseconds{ns}}; } // of the same clock

/// Pushes what a call may find in the caches out of them.
void sweep_caches() {
    constexpr std::size_t larger_than_caches = std::size_t{64} << 20;
    thread_local std::vector<unsigned char> rubbish(larger_than_caches);
    for (std::size_t i = 0; i < rubbish.size(); i += 64) ++rubbish[i];
}

/// One rank's part in measuring one row.
class measurement {
public:
    /// `seen` is where the host writes and checks the data of the call, which has its own at `where`.
    measurement(const participant& self, const bench_settings& settings, const job& what, const buffers& where,
                const buffers& seen)
        : self_(self), settings_(settings), where_(where), seen_(seen), data_(make_data(what)) {
        result_.what = what;
        job bound = what;
        if (self.choice && !what.messages) {
            const model::selection runs = selected();
            if (what.algorithm.algorithm) bound.algorithm.algorithm = runs.how;
            if (!what.algorithm.algorithm) {
                result_.chosen = runs.how.name();
                // The calls are given spans, which do not say that they are symmetric memory: it is chosen for them.
                if (settings.memory == memory_kind::symmetric) bound.algorithm.algorithm = runs.how;
            }
            // Prices know of no symmetric memory, of ranks in step alone, and of equal parts.
            if (settings.machine && what.root == 0 && settings.memory != memory_kind::symmetric && !what.late &&
                !what.uneven)
                result_.predicted_us = predicted_us(runs);
        }
        if (what.overlap) {
            start_ = self.start(bound, where);
            call_ = [this] { start_()->wait(); };
        } else {
            call_ = self.bind(bound, where);
        }
        if (self.timed) {
            put_ = std::exchange(call_, [this] { static_cast<void>(self_.timed(put_, 1)); });
        }
    }
    measurement(const measurement&) = delete; // its call may refer to it

    row run() {
        if (settings_.checks > 0) check();
        for (std::size_t i = 0; i < settings_.warm_up; ++i) {
            prepare();
            call_();
        }
        base_ns_ = agreed_ns(now_ns());
        if (settings_.how == timing::stream) {
            repeat([&](std::size_t n) { run_on_stream(n); });
        } else if (settings_.how == timing::loop) {
            repeat([&](std::size_t n) { run_loop(n); });
        } else if (result_.what.late) {
            repeat([&](std::size_t n) { run_out_of_step(n); });
        } else {
            repeat([&](std::size_t n) { run_after_barriers(n); });
            measure_cpu();
        }
        conclude();
        if (start_)
            result_.overlap = measure_overlap(start_, result_.time_us.p50, settings_.tests,
                                              [this](const std::function<void()>& work) { return slowest_us(work); });
        return result_;
    }

    /// One more call, after those that are measured: what the steps of all ranks did, at rank 0. Ranks that do not
    /// share a clock each count from when they left a barrier.
    activities record() {
        const bool one_clock = self_.others.one_clock() || (self_.choice && self_.choice->topology().nodes() == 1);
        std::optional<activities> all;
        for (std::size_t most_steps = 64; !all; most_steps *= 8) {
            for (std::size_t i = 0; i < settings_.warm_up; ++i) arrive_and(call_); // writing the row has cooled caches
            const std::int64_t start_ns = agreed_ns(now_ns());
            arrive_and([&] { all = self_.record(call_, most_steps, at(one_clock ? start_ns : now_ns())); });
        }
        return std::move(*all);
    }

private:
    [[nodiscard]] double agreed(double value) {
        self_.others.maximum({&value, 1});
        return value;
    }
    /// The same number on all ranks, to some nanoseconds.
    [[nodiscard]] std::int64_t agreed_ns(std::int64_t value) {
        return std::llround(agreed(static_cast<double>(value)));
    }
    [[nodiscard]] std::int64_t used_ns() const { return nanoseconds(self_.cpu_clock); }

    void prepare() {
        data_->prepare(seen_);
        if (!self_.copy) return;
        const bool in_place = result_.what.in_place;
        self_.copy(in_place ? where_.output : where_.input, in_place ? seen_.output : seen_.input, bytes());
    }
    void prepare_check() {
        data_->prepare_check(seen_);
        if (!self_.copy) return;
        self_.copy(where_.input, seen_.input, bytes());
        self_.copy(where_.output, seen_.output, bytes());
    }
    [[nodiscard]] std::uint64_t count_wrong() {
        if (self_.copy) self_.copy(seen_.output, where_.output, bytes());
        return data_->count_wrong(seen_);
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return result_.what.bytes(); }

    template <class Work>
    void arrive_and(Work&& work) {
        prepare();
        self_.others.barrier();
        work();
    }

    /// What a call of the row runs.
    [[nodiscard]] model::selection selected() const {
        const job& j = result_.what;
        if (const auto& named = j.algorithm.algorithm)
            return {on_nodes(*named), model::segments_for(*named, j.bytes())};
        if (j.uneven && !tutti::detail::all_know_lengths(j.what)) return tutti::detail::local_choice(j.what);
        return self_.choice->choose(j.what, j.bytes(), true, settings_.memory == memory_kind::symmetric && !j.uneven);
    }
    /// A hierarchy has the nodes that the ranks are on, or, where these are no levels, those that its name got.
    [[nodiscard]] algorithm::any on_nodes(const algorithm::any& how) const {
        const model::topology& on = self_.choice->topology();
        return on.has_levels() ? on.of_nodes(how) : how;
    }
    [[nodiscard]] double predicted_us(const model::selection& s) const {
        const job& j = result_.what;
        const model::collective c{j.what, s.how, j.ranks, j.bytes(), 0, s.segments, j.in_place, size_of(j.type)};
        return model::price_s(c, self_.choice->topology(), *settings_.machine) * 1e6;
    }

    void check() {
        if (result_.what.barrier) return check_barrier();
        double wrong = 0;
        for (std::size_t i = 0; i < settings_.checks; ++i) {
            prepare_check();
            call_();
            wrong += static_cast<double>(count_wrong());
        }
        result_.wrong = static_cast<std::uint64_t>(self_.others.sum(wrong, self_.rank, self_.ranks));
    }

    /// No rank may leave before the last has come, and the last lets the others wait. Needs one clock.
    void check_barrier() {
        if (!self_.others.one_clock()) return;
        double wrong = 0;
        for (std::size_t i = 0; i < settings_.checks; ++i) {
            if (static_cast<std::size_t>(self_.rank) == i % static_cast<std::size_t>(self_.ranks))
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
            const std::int64_t came = now_ns();
            call_();
            const std::int64_t left = now_ns();
            wrong += left < agreed_ns(came);
        }
        result_.wrong = static_cast<std::uint64_t>(self_.others.sum(wrong, self_.rank, self_.ranks));
    }

    /// The p50, over as many iterations as were measured, of the slowest rank.
    [[nodiscard]] double slowest_us(const std::function<void()>& work) {
        std::vector<double> durations(result_.iterations);
        for (double& d : durations) {
            prepare();
            if (settings_.cold) sweep_caches();
            self_.others.barrier();
            const std::int64_t start = now_ns();
            work();
            d = us_since(start);
        }
        self_.others.maximum(durations);
        return summarise(std::move(durations)).p50;
    }

    // All ranks must make the same number of calls, so they agree on how much time has passed. Batches grow no faster
    // than the experience that they rest on: where ranks outnumber cores, calls may suddenly take a thousand times
    // longer.
    template <class Batch>
    void repeat(Batch&& batch) {
        const bool precise = settings_.precision > 0;
        if (settings_.iterations > 0) return batch(settings_.iterations);
        const bool unsaid = settings_.seconds <= 0 && !precise;
        const double limit_us = 1e6 * (settings_.seconds > 0 ? settings_.seconds
                                       : precise             ? precise_row_s
                                                             : short_row_s);
        const std::size_t least = unsaid ? some_iterations : 1;
        const std::size_t most = !unsaid ? 100'000'000 : result_.what.overlap ? some_iterations : most_iterations;
        for (std::size_t next = least; next > 0;) {
            batch(next);
            const std::size_t done = durations_.size();
            if (done >= most || (precise && is_precise())) return;
            const double passed = agreed(us_since(base_ns_)), calls = static_cast<double>(done);
            const double more = std::floor((limit_us - passed) * calls / passed);
            next = more < 1 ? 0 : std::min(static_cast<std::size_t>(std::min({more, 3 * calls, 1e5})), most - done);
        }
    }

    /// Alike on all ranks.
    [[nodiscard]] bool is_precise() {
        std::vector<double> slowest = durations_;
        self_.others.maximum(slowest);
        const summary s = summarise(std::move(slowest));
        return s.p50_interval &&
               std::max(s.p50_interval->high - s.p50, s.p50 - s.p50_interval->low) <= settings_.precision * s.p50;
    }

    void took(double us) { durations_.push_back(result_.what.is_timed(self_.rank) ? us : 0); }

    void run_after_barriers(std::size_t iterations) {
        for (std::size_t i = 0; i < iterations; ++i) {
            prepare();
            if (settings_.cold) sweep_caches();
            self_.others.barrier();
            const std::int64_t start = now_ns();
            call_();
            took(us_since(start));
            starts_.push_back(microseconds(base_ns_, start));
        }
    }

    /// The last rank computes, and touches nothing that others see. What the others wait for it is in no time, but in
    /// the processor time; the computation is in neither.
    void run_out_of_step(std::size_t iterations) {
        const bool late = self_.rank + 1 == self_.ranks;
        for (std::size_t i = 0; i < iterations; ++i) {
            prepare();
            self_.others.barrier();
            if (late)
                for (const auto until = now_ns() + std::llround(wait_us() * 1e3); now_ns() < until;) {
                }
            const std::int64_t cpu = used_ns(), start = now_ns();
            call_();
            const std::int64_t end = now_ns();
            cpu_us_ += microseconds(cpu, used_ns());
            took(microseconds(start, end));
            const std::int64_t begin = now_ns();
            for (std::size_t k = 0; k < settings_.behind; ++k) call_();
            behind_.push_back(us_since(begin) / static_cast<double>(settings_.behind));
        }
    }
    [[nodiscard]] double wait_us() { return waits_.between(result_.what.late->low_us, result_.what.late->high_us); }

    void run_loop(std::size_t iterations) {
        prepare();
        self_.others.barrier();
        const std::int64_t cpu = used_ns();
        std::int64_t last = now_ns();
        for (std::size_t i = 0; i < iterations; ++i) {
            call_();
            const std::int64_t end = now_ns();
            took(microseconds(std::exchange(last, end), end));
        }
        cpu_us_ += microseconds(cpu, used_ns());
    }

    void run_on_stream(std::size_t iterations) {
        prepare();
        self_.others.barrier();
        const std::int64_t cpu = used_ns();
        for (const double us : self_.timed(put_, iterations)) took(us);
        cpu_us_ += microseconds(cpu, used_ns());
    }

    // Apart from the times: waiting in the barrier would count, and reading this clock is a system call.
    void measure_cpu() {
        const std::size_t wanted = std::max<std::size_t>(durations_.size() / 4, 1);
        const bool limited = settings_.seconds > 0;
        const std::int64_t begin = now_ns();
        std::size_t calls = 0;
        double used_us = 0;
        for (std::size_t batch = limited ? 1 : wanted; batch > 0; batch = std::min(3 * calls, wanted - calls)) {
            prepare();
            self_.others.barrier();
            const std::int64_t before = used_ns();
            for (std::size_t i = 0; i < batch; ++i) call_();
            used_us += microseconds(before, used_ns());
            calls += batch;
            if (limited && agreed(us_since(begin)) > settings_.seconds * 1e6) break;
        }
        cpu_us_ = used_us * static_cast<double>(durations_.size()) / static_cast<double>(calls);
    }

    void conclude() {
        const auto calls = static_cast<double>(durations_.size());
        const double ways = result_.what.messages && returns(*result_.what.messages) ? 2 : 1; // times are of one
        cpu_us_ /= ways;
        for (double& d : durations_) d /= ways;
        const std::size_t middle = starts_.size();
        std::vector<double> spread(2 * middle);
        for (std::size_t i = 0; i < middle; ++i) {
            spread[i] = starts_[i];
            spread[middle + i] = -starts_[i];
        }
        average(std::accumulate(durations_.begin(), durations_.end(), 0.) / calls);
        self_.others.maximum(behind_);
        if (result_.what.late) result_.behind_us = summarise(std::move(behind_)).p50;
        self_.others.maximum(durations_);
        self_.others.maximum(spread);
        if (self_.others.one_clock() && middle > 0) {
            for (std::size_t i = 0; i < middle; ++i) spread[i] += spread[middle + i]; // the last minus the first
            spread.resize(middle);
            result_.skew_us = summarise(std::move(spread)).p50;
        }
        result_.iterations = durations_.size();
        result_.time_us = summarise(std::move(durations_));
        result_.base_us = settings_.how != timing::barrier ? result_.average_us : result_.time_us.p50;
        result_.cpu_us = self_.others.sum(cpu_us_, self_.rank, self_.ranks) / calls;
    }

    /// Over all ranks that are timed, and of each of them.
    void average(double own_us) {
        std::vector<double> of_ranks(static_cast<std::size_t>(self_.ranks), 0.);
        of_ranks[static_cast<std::size_t>(self_.rank)] = own_us;
        self_.others.maximum(of_ranks);
        std::vector<int> timed;
        for (int rank = 0; rank < self_.ranks; ++rank)
            if (result_.what.is_timed(rank)) timed.push_back(rank);
        const auto time_of = [&](int rank) { return of_ranks[static_cast<std::size_t>(rank)]; };
        result_.average_us = std::accumulate(of_ranks.begin(), of_ranks.end(), 0.) / static_cast<double>(timed.size());
        result_.slowest_rank = std::ranges::max(timed, {}, time_of);
        result_.rank_averages_us = {time_of(std::ranges::min(timed, {}, time_of)), time_of(result_.slowest_rank)};
    }

    const participant& self_;
    const bench_settings& settings_;
    const buffers where_, seen_;
    const std::unique_ptr<bench_data> data_;
    call call_;
    call put_;      // of a call on a stream: puts it there
    starter start_; // of a non-blocking call
    row result_;
    std::int64_t base_ns_ = 0; // a moment that all ranks agree on, shortly before the first iteration
    double cpu_us_ = 0;        // of all iterations, this rank
    std::vector<double> durations_;
    std::vector<double> starts_;
    std::vector<double> behind_; // of calls out of step: the mean of those behind each
    random_source waits_{1};     // the same in every run
};

/// Measures a row, records it where that is wanted, and tells it at rank 0.
row measure_row(const participant& self, const bench_settings& settings, const job& what, const buffers& where,
                const buffers& seen, trace_file* trace) {
    measurement of_row{self, settings, what, where, seen};
    const row r = of_row.run();
    if (settings.trace.empty() || what.messages || settings.launch.number.value_or(0) > 0)
        return r; // a message has no steps, and one launch is enough
    activities recorded = of_row.record();
    if (!trace) return r;
    const std::string chosen = r.chosen.empty() ? "" : " (" + r.chosen + ")";
    trace->add(in_words(what) + chosen, self.ranks, std::move(recorded));
    return r;
}

/// What one rank refuses by std::invalid_argument, all do. What rank 0 says, no other one repeats: these have nothing
/// to say. Collective.
void refuse_together(const participant& self, const std::function<void()>& check) {
    std::string refusal;
    try {
        check();
    } catch (const std::invalid_argument& e) {
        refusal = e.what();
    }
    const bool refuses = !refusal.empty();
    std::array<double, 2> refused{refuses ? 1. : 0., refuses && self.rank == 0 ? 1. : 0.};
    self.others.maximum(refused);
    if (refused[0] != 0) throw std::invalid_argument(self.rank == 0 || refused[1] == 0 ? refusal : "");
}

/// What is reported at rank 0; nothing at others. Collective.
std::unique_ptr<bench_report> begin_report(const participant& self, const bench_settings& settings,
                                           const std::vector<job>& jobs) {
    const testbed at = testbed_of(self);
    std::unique_ptr<bench_report> report;
    refuse_together(self, [&] {
        if (self.rank == 0)
            report = std::make_unique<bench_report>(settings, at, self.ranks, self.others.one_clock(), jobs);
    });
    return report;
}

/// A rank's buffers. The host sees others where it must not touch these.
struct own_memory {
    symmetric_memory<std::byte> input, output;
    std::vector<std::byte> seen_input, seen_output;

    [[nodiscard]] buffers where() const noexcept { return {input.data(), output.data()}; }
    [[nodiscard]] buffers seen() noexcept {
        return seen_input.empty() ? where() : buffers{seen_input.data(), seen_output.data()};
    }
};

symmetric_memory<std::byte> allocated(const participant& self, std::size_t bytes) {
    try {
        return self.allocate(bytes);
    } catch (const std::bad_alloc&) {
        throw std::runtime_error(
            fmt::format("rank {} has no memory for a buffer of {}", self.rank, bytes_text(static_cast<double>(bytes))));
    }
}

own_memory memory_for(const participant& self, std::size_t bytes) {
    const std::size_t seen = self.copy ? bytes : 0;
    return {allocated(self, bytes), allocated(self, bytes), std::vector<std::byte>(seen), std::vector<std::byte>(seen)};
}

} // namespace

bench_result take_part(const participant& self, const bench_settings& settings) {
    refuse_together(self, [&] { check_settings(settings, self.ranks); });
    std::vector<job> jobs = jobs_of(settings, self.rank, self.ranks);
    if (self.has) std::erase_if(jobs, [&](const job& j) { return !self.has(j); });
    std::size_t most = 1;
    for (const job& j : jobs) most = std::max(most, j.bytes());
    // A little vector lies elsewhere than a large one, so each row has its own. Other memory serves all rows.
    const bool by_row = settings.memory == memory_kind::vector && !self.copy;
    std::optional<own_memory> memory;
    if (!by_row) memory.emplace(memory_for(self, most));
    std::optional<trace_file> trace;
    if (self.rank == 0 && !settings.trace.empty() && settings.launch.number.value_or(0) == 0)
        trace.emplace(settings.trace);
    const std::unique_ptr<bench_report> report = begin_report(self, settings, jobs);
    // Rows that are compared, now or later.
    host_witness witness(self, !settings.json.empty() || !settings.against.empty() ||
                                   !settings.against_program.empty() || !settings.contestants.empty());
    const auto agreed = [&](bool at_one) {
        double any = at_one ? 1 : 0;
        self.others.maximum({&any, 1});
        return any != 0;
    };
    bench_result found;
    const std::size_t first = settings.launch.number.value_or(0);
    for (std::size_t round = first; round < (settings.launch.number ? first + 1 : settings.rounds); ++round)
        for (const job& j : jobs) {
            if (report) report->begin(j, round);
            if (by_row) memory.reset(); // first: both may not fit
            if (by_row) memory.emplace(memory_for(self, std::max<std::size_t>(j.bytes(), 1)));
            row r = measure_row(self, settings, j, memory->where(), memory->seen(), trace ? &*trace : nullptr);
            r.round = round;
            r.other_cores = witness.other_cores();
            found.wrong += r.wrong.value_or(0);
            if (report) report->add(r);
            found.unread = agreed(report && report->unread());
            if (found.unread) return found;
        }
    if (trace) trace->finish();
    const verdict v = report ? report->finish() : verdict{};
    std::array<double, 2> told{static_cast<double>(v.slower), v.complete ? 0. : 1.};
    self.others.maximum(told);
    found.unread = agreed(report && report->unread());
    found.slower = static_cast<std::size_t>(told[0]);
    found.complete = told[1] == 0;
    return found;
}

} // namespace tutti::tools
