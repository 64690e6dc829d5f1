// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What a verdict costs the coordinator: one rank of a ring is stopped, all others report a timeout, are asked, and
// answer with their last sixteen calls; the verdict goes to all, and each says that its calls have failed. Ranks are
// simulated and no byte is sent: the time is the processor's for reading notices, deciding, and writing frames.
// `stopped_elsewhere` is the same where every rank waits for its neighbour in a communicator of the two alone.
// `decision` is the part of it that all ranks wait for: from the moment when the coordinator waits for no more answers
// until the verdict is in frames.

#include <transport/control/control_frames.hpp>
#include <transport/control/coordinator.hpp>
#include <transport/control/notice_codec.hpp>

#include <benchmark/benchmark.h>

#include <time.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace tutti::transport;
using namespace tutti::transport::bootstrap;
using bytes = std::vector<std::byte>;

constexpr std::uint64_t world = 1;
constexpr std::uint64_t request = 100;
const std::string call = "allreduce(ring) of 1000000 float32, sum";

/// The communicator on which a rank waits for the one before it.
std::uint64_t where(int rank, bool elsewhere) { return elsewhere ? 10 + static_cast<std::uint64_t>(rank) : world; }

notice said(int rank, int size, notice_kind kind, bool elsewhere) {
    notice n;
    n.kind = kind;
    n.communicator = where(rank, elsewhere);
    n.members = elsewhere ? 2 : size;
    n.rank = rank;
    n.peer = (rank + size - 1) % size;
    n.request = request;
    n.call = call;
    n.waits = {{n.communicator, request, true, {n.peer}, call}};
    return n;
}
notice answered(int rank, int size, const notice& asked, bool elsewhere) {
    notice n = said(rank, size, notice_kind::waiting, elsewhere);
    n.communicator = asked.communicator;
    if (elsewhere && rank != asked.rank) n.members = 0;
    for (std::uint64_t k = request - 15; k <= request; ++k) n.calls.push_back({where(rank, elsewhere), k, 7 * k, call});
    return n;
}
notice failed(const notice& verdict) {
    notice n = verdict;
    n.kind = notice_kind::failed;
    return n;
}

double processor_time_s() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

class trial {
public:
    trial(int size, bool elsewhere) : size_(size), elsewhere_(elsewhere), book_(size) {}

    /// Returns the seconds that the coordinator took in all.
    double run() {
        const auto reporters = elsewhere_ ? 1 : size_ - 1; // one case, however many ranks it leads through
        std::vector<bytes> letters;
        for (int k = 1; k <= reporters; ++k)
            letters.push_back(encode(said(elsewhere_ ? size_ - 1 : k, size_, notice_kind::timeout, elsewhere_)));
        hear(letters, elsewhere_ ? size_ - 1 : 1);
        const notice asked = last(notice_kind::inquiry);

        letters.clear();
        for (int r = 1; r < size_; ++r) letters.push_back(encode(answered(r, size_, asked, elsewhere_)));
        hear(letters, 1);
        const double before = seconds_;
        timed([&] {
            book_.tick(now_ + coordinator::report_grace);
            write();
        });
        decision_ = seconds_ - before;
        const notice verdict = last(notice_kind::verdict);
        if (verdict.peer != 0) throw std::logic_error("the stopped rank is not named");

        letters.clear();
        for (int r = 1; r < size_; ++r) letters.push_back(encode(failed(verdict)));
        hear(letters, 1);
        return seconds_;
    }
    [[nodiscard]] double decision() const noexcept { return decision_; }

private:
    template <class Work>
    void timed(Work&& work) {
        const double start = processor_time_s();
        work();
        seconds_ += processor_time_s() - start;
    }
    /// One letter a rank, from that rank on.
    void hear(const std::vector<bytes>& letters, int first) {
        timed([&] {
            for (const bytes& letter : letters) {
                book_.take(first++, *decode_notice(letter), now_);
                write();
            }
        });
    }
    /// Frames as the reception writes them.
    void write() {
        for (auto& o : book_.drain()) {
            bytes frame;
            append_frame(frame, frame_type::talk, encode(o.what));
            benchmark::DoNotOptimize(frame.data());
            told_.push_back(std::move(o.what));
        }
    }
    [[nodiscard]] notice last(notice_kind kind) const {
        for (auto n = told_.rbegin(); n != told_.rend(); ++n)
            if (n->kind == kind) return *n;
        throw std::logic_error("the coordinator has said nothing");
    }

    int size_;
    bool elsewhere_;
    coordinator book_;
    clock::time_point now_{};
    std::vector<notice> told_;
    double seconds_ = 0, decision_ = 0;
};

void verdict(benchmark::State& state, bool elsewhere) {
    double decisions = 0;
    for (auto _ : state) {
        trial t(static_cast<int>(state.range(0)), elsewhere);
        state.SetIterationTime(t.run());
        decisions += t.decision();
    }
    state.counters["decision_ms"] = benchmark::Counter(1000 * decisions, benchmark::Counter::kAvgIterations);
}

void sizes(benchmark::internal::Benchmark* b) {
    b->Arg(1000)->Arg(6400)->Arg(10'000)->UseManualTime()->Unit(benchmark::kMillisecond);
}

} // namespace

BENCHMARK_CAPTURE(verdict, stopped, false)->Apply(sizes);
BENCHMARK_CAPTURE(verdict, stopped_elsewhere, true)->Apply(sizes);

BENCHMARK_MAIN();
