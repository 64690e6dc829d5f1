// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What the ranks of one random world do. All of them, and the launcher, draw the same plan from (seed, world).
namespace tutti::soak {

enum class fabric : std::uint8_t { memory, shared_memory, tcp, routed, verbs };

/// The library's operations in their order, the barrier, and a message to the next rank and from the one before.
enum class operation : std::uint8_t {
    allreduce,
    reduce_scatter,
    allgather,
    reduce,
    broadcast,
    gather,
    scatter,
    scan,
    exscan,
    alltoall,
    barrier,
    exchange,
};

inline constexpr int operations = 10;

/// An element type with an operator, see flavours.hpp.
enum class flavour : std::uint8_t {
    uint8_sum,
    int32_sum,
    int32_maximum,
    float_sum,
    double_product,
    float16_sum,
    uint32_compose, ///< non_commutative
};
inline constexpr int flavours = 7;

enum class mode : std::uint8_t { blocking, non_blocking, prepared };

/// How the requests of a step are collected.
enum class collecting : std::uint8_t { in_turn, by_test, wait_all, wait_any, by_loop };

/// One set of bits, a bit a rank of the world.
using ranks_set = std::uint32_t;
[[nodiscard]] constexpr bool holds(ranks_set set, int rank) noexcept { return (set >> rank & 1U) != 0; }

struct call {
    int family = 0; ///< which communicator, see plan::families
    operation what = operation::barrier;
    flavour of = flavour::int32_sum;
    std::size_t count = 0; ///< elements; of one rank's part where an operation has parts
    int root = 0;          ///< modulo the ranks of the communicator
    int algorithm = -1;    ///< number in algorithm::all(); -1: the library chooses
    int per_node = 1;      ///< ranks per node of a hierarchical algorithm
    mode how = mode::blocking;
    int repeats = 1;           ///< of a prepared call that is alone in its step
    ranks_set in_place = 0;    ///< ranks may differ
    ranks_set symmetric = 0;   ///< these give symmetric memory; all or none where the library chooses
    bool whole_object = false; ///< symmetric memory is given as such, not as a span of it
};

enum class action : std::uint8_t { calls, split, duplicate, release };

struct step {
    action what = action::calls;
    std::vector<call> calls;
    collecting collect = collecting::in_turn;
    int parent = 0; ///< split, duplicate: of this family
    int family = 0; ///< split, duplicate, release: this one is made, or goes
    int colors = 1; ///< split: the rank's place in the parent's list, divided by `by`, modulo this
    int by = 1;
    bool reversed = false;   ///< split: keys fall as ranks rise
    ranks_set forking = 0;   ///< calls: ranks that fork a child while they are under way
    int jitter_us = 0;       ///< each rank waits up to so long before it
    ranks_set jittering = 0; ///< those that wait
};

/// Communicators that are made together: a group of ranks has one of them each. Family 0 is the world.
struct family {
    std::vector<std::vector<int>> members; ///< of each rank of the world: the group that it is in, in order
};

enum class fault_kind : std::uint8_t {
    none,
    mismatch,   ///< one rank calls something else
    kill,       ///< SIGKILL
    stop_short, ///< SIGSTOP, and SIGCONT before anybody's deadline
    stop_long,  ///< SIGSTOP until all others have been told
    delay_short,
    delay_long,
    late_start, ///< a rank comes to the rendezvous seconds after the others
    refused,    ///< a rank's listening sockets refuse connections
    shortage,   ///< a rank has no more than a few descriptors left: EMFILE
    leave,      ///< a rank returns from main, in good order
};
inline constexpr int fault_kinds = 11;

/// In what the odd rank's call differs.
enum class difference : std::uint8_t { count, flavour, operation, root, algorithm };

struct fault {
    fault_kind what = fault_kind::none;
    int victim = -1;
    int step = 0;     ///< before this one, or in it
    int pause_us = 0; ///< kill, stop: so long after the victim has begun it
    int duration_ms = 0;
    int spare = 0;                              ///< shortage: descriptors that are left
    difference differs = difference::count;     ///< mismatch
    call odd;                                   ///< mismatch: what the victim calls instead
    [[nodiscard]] bool leaves_all_well() const; ///< no rank may notice it
};

struct plan {
    std::uint64_t seed = 0, world = 0;
    fabric over = fabric::memory;
    int ranks = 2;
    int hosts = 1;                  ///< pretended, of consecutive ranks
    bool six = false;               ///< over ::1, where there is one
    int lanes = 1;                  ///< tcp, routed
    std::size_t window_bytes = 0;   ///< 0: as it is by itself
    std::size_t contexts_ahead = 0; ///< so here
    bool encrypted = false;         ///< tcp, routed: data over sockets
    ranks_set progress_threads = 0; ///< ranks with progress::by_waiters
    std::chrono::milliseconds deadline{0};
    int in_turn = 1;            ///< so often the ranks make the world and play the plan, with no barrier between
    bool leaves_at_once = true; ///< a rank that has got an error ends; else it waits until the others have one
    bool ends_abruptly = false; ///< and does so at once, as by an error that nobody catches: no destructor runs
    bool aftermath = false;     ///< those who are left work on, in family 1, which is without the victim
    std::vector<family> families;
    std::vector<step> steps;
    fault upset;

    [[nodiscard]] const std::vector<int>& members(int of_family, int rank) const {
        return families[static_cast<std::size_t>(of_family)].members[static_cast<std::size_t>(rank)];
    }
};

inline bool fault::leaves_all_well() const {
    return what == fault_kind::none || what == fault_kind::stop_short || what == fault_kind::delay_short ||
           what == fault_kind::late_start;
}

/// The plan of a world. `deadline` is that of calls in worlds with a fault that calls wait for.
[[nodiscard]] plan draw(std::uint64_t seed, std::uint64_t world, std::chrono::milliseconds deadline);

/// The plan, told to people; lines of it.
[[nodiscard]] std::string in_words(const plan& p);
[[nodiscard]] std::string in_words(const call& c);
[[nodiscard]] const char* name_of(fault_kind f) noexcept;
[[nodiscard]] const char* name_of(fabric f) noexcept;

} // namespace tutti::soak
