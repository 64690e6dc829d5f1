// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/choices.hpp"
#include "../common/host_memory.hpp"
#include "../common/sizes.hpp"
#include "../common/statistics.hpp"
#include "../run/binding.hpp"
#include "../run/local_ranks.hpp"
#include "exchange.hpp"
#include "imbalance.hpp"
#include "overlap_times.hpp"

#include <collectives/choice/chooser.hpp>
#include <collectives/model/residuals.hpp>
#include <collectives/runtime_call.hpp>
#include <collectives/schedule/activity.hpp>
#include <collectives/symmetric_memory.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <time.h>

/// The parts of `tutti bench`.
namespace tutti::tools {

class meeting;

/// Throws std::invalid_argument that lists the names if there is none of that name; a list may say all.
[[nodiscard]] std::vector<element_type> types_of(std::string_view list);
[[nodiscard]] std::vector<operator_type> operators_of(std::string_view list);

enum class timing : std::uint8_t { barrier, loop, stream };
enum class place : std::uint8_t { both, out, in };
enum class memory_kind : std::uint8_t { vector, page, symmetric };
inline constexpr std::array<std::string_view, 3> memory_names{"vector", "page", "symmetric"};
/// Precondition: it is one of the names.
[[nodiscard]] inline memory_kind memory_of(std::string_view name) {
    return static_cast<memory_kind>(std::ranges::find(memory_names, name) - memory_names.begin());
}

/// Where nobody says how many, and how long they may take together.
inline constexpr std::size_t some_iterations = 20, most_iterations = 1000;
inline constexpr double short_row_s = 1;
/// With a precision: how long a row may take where nobody says so.
inline constexpr double precise_row_s = 10;

/// A round is a launch of its own where this command starts the ranks; other launchers' processes measure all rounds.
struct launched_round {
    int room = -1;                       ///< the descriptor of the room in which ranks of one host meet; -1: none
    int rows = -1;                       ///< that of the rows of all launches so far; -1: this launch is the only one
    std::optional<std::size_t> number{}; ///< the only round that this launch measures
};

/// What the command line asks for.
struct bench_settings {
    std::string transport; ///< empty: not said
    bool transport_is_default = false;
    int ranks = 0;  ///< 0: not said
    binding bind{}; ///< of ranks that are started here
    std::string operation = "allreduce";
    std::string algorithm = "auto";
    sweep bytes{8, std::size_t{16} << 20, 2, 0};
    std::vector<std::size_t> listed_bytes; ///< instead of the sweep, if there are any
    std::string type = "float32";
    std::string op = "sum";
    place where = place::both;
    std::vector<int> roots{0};  ///< empty: every rank in turn
    double uneven = 0;          ///< of operations on parts of any lengths: from 0, all are equal, to 1
    std::vector<int> pairs;     ///< of ranks that exchange messages at once; empty: as many as there are
    std::size_t iterations = 0; ///< of a row; 0: some_iterations to most_iterations, as many as fit into a second
    double seconds = 0;         ///< if not 0, as many iterations as fit into it
    double precision = 0;       ///< if not 0, as many as bring the p50's interval within so much of it, relative to it
    std::size_t rounds = 1;     ///< how often all rows are measured, one after the other
    bool rounds_are_given = false;
    std::size_t warm_up = 5;
    std::size_t checks = 1;
    timing how = timing::barrier;
    bool cold = false;
    std::vector<imbalance> imbalances; ///< of the last rank; empty: all ranks call in step
    std::size_t behind = 20;           ///< calls in step behind the one that a rank came late to
    std::size_t lend_bytes = 0;        ///< of shared_memory; 0: as the library has it
    int lanes = 1;                     ///< of tcp: sockets a peer
    bool encrypt = false;              ///< of tcp
    memory_kind memory = memory_kind::vector;
    std::size_t offset = 0;  ///< of page: bytes from a page's start to a buffer's
    bool overlap = false;    ///< non-blocking calls, alone and with computation
    std::size_t tests = 0;   ///< while it computes, how often a rank tests the request
    bool by_waiters = false; ///< progress::by_waiters
    double deadline_s = 30;
    std::string machine_file;
    std::optional<model::calibrated_machine> machine{}; ///< what is in it: the library chooses, rows are priced by it
    std::string json;
    std::string csv;
    std::string trace;
    std::string html;
    std::vector<std::string> against;     ///< files of earlier runs
    std::vector<std::string> now;         ///< files that stand for this run: nothing is measured
    std::string against_program;          ///< another tutti, which is measured in turn with this one
    std::vector<std::string> contestants; ///< other libraries, likewise: a name each
    bool tolerance_is_given = false;
    double tolerance = 0.05;      ///< by how much a time may be longer than it was, relative to that
    double most_other_work = 0.1; ///< that leaves a row judged, as a share of the cores that ranks may use
    launched_round launch{};      ///< what this process measures of it all

    [[nodiscard]] std::vector<std::size_t> sizes() const {
        return listed_bytes.empty() ? sizes_of(bytes) : listed_bytes;
    }
    [[nodiscard]] std::chrono::nanoseconds deadline() const {
        return std::chrono::nanoseconds{static_cast<long long>(deadline_s * 1e9)};
    }
};

/// Operations on parts of any lengths, with the operation on equal ones.
inline constexpr std::array<std::pair<std::string_view, operation>, 5> uneven_operations{
    {{"allgatherv", operation::allgather},
     {"alltoallv", operation::alltoall},
     {"gatherv", operation::gather},
     {"reduce_scatterv", operation::reduce_scatter},
     {"scatterv", operation::scatter}}};
/// Precondition: it is one of these.
[[nodiscard]] constexpr std::string_view name_of_uneven(operation what) noexcept {
    return std::ranges::find(uneven_operations, what, [](const auto& named) { return named.second; })->first;
}

/// One call to be measured.
struct job {
    operation what = operation::allreduce;
    std::optional<exchange> messages{}; ///< if there is one, it is measured, and `what` means nothing
    bool barrier = false;               ///< it is measured, and `what` is the allreduce of nothing that it costs
    std::optional<double>
        uneven{};  ///< of an operation on parts whose lengths are given, as allgatherv: see part_begins
    int pairs = 0; ///< of messages: how many exchange at once
    std::optional<std::pair<int, int>> between{}; ///< of messages: the only pair
    bool overlap = false;                         ///< a non-blocking call is measured, alone and with computation
    choice algorithm;
    element_type type = element_type::float32;
    operator_type op = operator_type::sum;
    std::optional<imbalance> late{}; ///< the last rank calls so much later than the others
    std::size_t count = 0;           ///< elements, as nccl-tests counts: of one shard where there are shards
    int root = 0;
    bool in_place = false;
    int ranks = 1;
    int rank = 0; ///< this one

    [[nodiscard]] std::string_view name() const noexcept {
        if (barrier) return "barrier";
        if (uneven) return name_of_uneven(what);
        return messages ? name_of(*messages) : schedule::name_of(what);
    }
    [[nodiscard]] bool reduces() const noexcept { return !messages && !barrier && schedule::reduces(what); }
    [[nodiscard]] bool rooted() const noexcept { return !messages && schedule::has_root(what); }
    [[nodiscard]] bool sharded() const noexcept { return !messages && schedule::has_shards(what); }
    /// Elements of the whole operation.
    [[nodiscard]] std::size_t elements() const noexcept {
        return sharded() ? count * static_cast<std::size_t>(ranks) : count;
    }
    /// Where a rank's part begins, in elements; of rank `ranks`, where the last one ends. With an unevenness S the
    /// parts grow evenly with the rank, from 1 - S times their mean to 1 + S times it.
    [[nodiscard]] std::size_t part_begins(int of) const noexcept {
        const double k = of, all = ranks, s = ranks > 1 ? uneven.value_or(0) : 0;
        const double before = s == 0 ? k : k * (1 - s) + s * k * (k - 1) / (all - 1);
        return static_cast<std::size_t>(std::llround(static_cast<double>(count) * before));
    }
    [[nodiscard]] std::size_t part(int of) const noexcept { return part_begins(of + 1) - part_begins(of); }
    /// Of an alltoall: what goes from one rank to another. Each rank sends and receives parts of all lengths.
    [[nodiscard]] std::size_t block(int from, int to) const noexcept { return part((from + to) % ranks); }
    [[nodiscard]] std::size_t bytes() const noexcept { return elements() * size_of(type); }
    /// Messages of pairs of ranks: all but those around the ring of all.
    [[nodiscard]] bool in_pairs() const noexcept { return messages && is_of_pairs(*messages); }
    /// False of a rank that belongs to no pair of those that exchange messages.
    [[nodiscard]] bool takes_part(int of) const noexcept { return !in_pairs() || pairs_of_ranks().pair_of(of); }
    /// The row's times are of this rank, perhaps among others.
    [[nodiscard]] bool is_timed(int of) const noexcept {
        if (late) return of + 1 == ranks;
        return takes_part(of) && (!messages || !is_answered(*messages) || pairs_of_ranks().begins(of));
    }
    /// Precondition: it exchanges messages.
    [[nodiscard]] pairing pairs_of_ranks() const noexcept { return {between_halves(*messages), ranks, pairs, between}; }
};

/// "allreduce ring 1024 bytes in place".
[[nodiscard]] std::string in_words(const job& what);

/// What was measured.
struct row {
    job what;
    std::size_t round = 0;
    std::size_t iterations = 0;
    std::string chosen;                 ///< the algorithm's name where the library chose it
    std::optional<double> predicted_us; ///< by the machine, if one is given
    summary time_us;       ///< of the slowest rank of each iteration, among those timed; of what comes back, of one way
    double average_us = 0; ///< over all iterations and ranks that are timed, of a rank's own time
    interval rank_averages_us;          ///< the least and the greatest of the ranks' own averages
    int slowest_rank = 0;               ///< whose average is the greatest
    std::optional<double> behind_us;    ///< median of the mean call behind a late one, of the slowest rank
    double base_us = 0;                 ///< the time that the bandwidths refer to: the median, of a loop the average
    std::optional<double> skew_us;      ///< median spread of leaving the barrier, if the ranks share a clock
    double cpu_us = 0;                  ///< per operation, over all ranks
    std::optional<double> other_cores;  ///< that other work used on rank 0's host; none where too little time passed
    std::optional<std::uint64_t> wrong; ///< elements over all ranks and checks; of a barrier, ranks that left too soon
    std::optional<overlap_times> overlap;

    /// Its quantiles stand for something.
    [[nodiscard]] bool has_enough_iterations() const noexcept { return iterations >= 3; }
    [[nodiscard]] std::optional<double> messages_per_s() const;
    [[nodiscard]] double algorithm_GBps() const;
    [[nodiscard]] double bus_GBps() const;
};

/// Where a rank's data lies. Out of place the call goes from input to output, in place it works on output.
struct buffers {
    std::byte* input = nullptr;
    std::byte* output = nullptr;
};

/// The call itself, ready to be made.
using call = std::function<void()>;
/// Binds a job and its buffers to a communicator.
using binder = std::function<call(const job&, const buffers&)>;

/// A non-blocking call under way.
class started_call {
public:
    virtual ~started_call() = default;
    /// Makes progress; true when the call is over.
    virtual bool test() = 0;
    virtual void wait() = 0;
};
/// Starts a call.
using starter = std::function<std::unique_ptr<started_call>()>;
using start_binder = std::function<starter(const job&, const buffers&)>;
using activities = std::vector<schedule::activity>;
using moment = std::chrono::steady_clock::time_point;
/// Makes a call on all ranks, and says at rank 0 what the steps of all of them did; at others nothing of use. `moment`
/// is what their times count from, and `std::size_t` how many steps of a rank there is memory for: nothing, on all
/// ranks, if that was not enough.
using recorder = std::function<std::optional<activities>(const call&, std::size_t, moment)>;
/// Makes memory for one of the buffers, zeroed, of so many bytes.
using allocator = std::function<symmetric_memory<std::byte>(std::size_t)>;
/// Precondition: the settings want no symmetric memory.
[[nodiscard]] inline allocator host_allocator_of(const bench_settings& settings) {
    if (settings.memory == memory_kind::vector)
        return [](std::size_t bytes) { return symmetric_memory<std::byte>{vector_memory(bytes), bytes}; };
    return [offset = settings.offset](std::size_t bytes) {
        return symmetric_memory<std::byte>{page_memory(bytes, offset), bytes};
    };
}
/// "vector"; "device" where the buffers are not in the memory of the host.
[[nodiscard]] inline std::string_view memory_name(const bench_settings& settings) {
    return settings.transport == "cuda_ipc" ? "device" : memory_names[static_cast<std::size_t>(settings.memory)];
}

/// Puts so many calls into a stream of a GPU. Returns the microseconds that each took there, by events of the stream;
/// they are over then.
using stream_timer = std::function<std::vector<double>(const call&, std::size_t)>;
/// Copies to or from a buffer that the host must not touch; over on return.
using copier = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>;

/// All rows that the settings ask for, in the order of the table. Throws std::invalid_argument where they name what
/// there is not.
[[nodiscard]] std::vector<job> jobs_of(const bench_settings& settings, int rank, int ranks);
/// The operations that the settings name and of which they leave no row.
[[nodiscard]] std::string left_out(const bench_settings& settings, const std::vector<job>& jobs);

/// Throws std::invalid_argument where the settings make no sense for that many ranks, or where what --against names is
/// not of a machine and of settings like these.
void check(const bench_settings& settings, int ranks);

/// All that a rank needs to take part in a bench.
struct participant {
    int rank = 0;
    int ranks = 1;
    meeting& others;
    binder bind;
    allocator allocate;
    recorder record;
    clockid_t cpu_clock;                    ///< counts what this rank uses
    std::optional<model::chooser> choice{}; ///< the library's; none where it does not choose
    start_binder start{};                   ///< none where no call is non-blocking
    copier copy{};                          ///< none where the host may touch what `allocate` makes
    std::string device{};                   ///< what its GPU is called; empty where it uses none
    stream_timer timed{};                   ///< none where a call is over when it returns
    std::optional<bool> crowded{};          ///< its host, as the library sees it
    std::function<bool(const job&)> has{};  ///< what it can call, alike on all ranks; none: everything
};

/// What came out, on every rank.
struct bench_result {
    std::uint64_t wrong = 0; ///< elements over all ranks
    std::size_t slower = 0;  ///< rows that became slower than those of --against
    bool complete = true;    ///< all rows could be compared
    bool unread = false;     ///< nobody reads the output any more

    /// Of a rank.
    [[nodiscard]] int status() const noexcept {
        if (unread) return nobody_reads;
        if (wrong != 0) return result_is_wrong;
        return slower != 0 ? became_slower : complete ? 0 : not_compared;
    }
};

/// Takes part; rank 0 prints. Throws what the library throws.
bench_result take_part(const participant& self, const bench_settings& settings);

/// Ranks that are threads of this process. Returns the exit status of a rank.
int bench_in_memory(const bench_settings& settings);
/// One rank, a process, which finds its place in the environment; `room` is the descriptor that a parent handed down,
/// or -1. Return the exit status.
int bench_over_tcp(const bench_settings& settings, int room);
int bench_over_shared_memory(const bench_settings& settings, int room);
int bench_over_both(const bench_settings& settings, int room);
/// Throw std::invalid_argument in a command that was built without libibverbs.
int bench_over_verbs(const bench_settings& settings, int room);
int bench_over_all(const bench_settings& settings, int room);
/// The same with the data in the memory of GPUs. Throws std::invalid_argument in a command that was built without CUDA.
int bench_over_cuda(const bench_settings& settings, int room);

} // namespace tutti::tools
