// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

/// What shared memory alone can do: two ranks, one mapping, one thread a rank that spins. Each shows its data beside a
/// flag and adds what the other shows. No library has less to do for an allreduce of a few bytes, so this shows what a
/// library costs. Started by `tutti run`.

#include "contest.hpp"

#include <transport/sockets/mapping.hpp>
#include <transport/world/this_core.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace tutti::peers {
namespace {

namespace shm = transport::detail::shm;

constexpr std::size_t most_bytes = 4096; // more is better copied piece by piece: no measure for a library any more

/// What a rank shows in one call. The first 56 bytes share the flag's cache line and travel with it.
struct alignas(64) showing {
    std::atomic<std::uint64_t> call; ///< whose data these are, from 1; 0 in new memory
    std::byte data[most_bytes];
};

/// Calls take the two of a rank in turn: a rank that writes again what it wrote two calls ago has seen the other's flag
/// of the call between them, which the other set (release, acquire) when it had read what is overwritten now.
struct exhibition {
    showing of[2][2]; ///< rank, call % 2
};

/// Behind the room in the file on which the ranks meet.
shm::mapping map(const contest& c, meeting& others) {
    const descriptor file = open_room(c);
    const std::size_t first = shm::whole_pages(tools::detail::bytes_of(2));
    others.barrier(); // from here on, nobody gives the file the size of the room alone
    shm::resize(file.get(), first + sizeof(exhibition));
    return {file.get(), first, sizeof(exhibition)};
}

// As long as both ranks have a core, the flag comes before the spins are over.
void wait_for(const std::atomic<std::uint64_t>& flag, std::uint64_t call) {
    constexpr int spins = 1000;
    for (int i = 0; flag.load(std::memory_order_acquire) != call; ++i) {
        if (i < spins)
            transport::detail::this_core::pause();
        else
            std::this_thread::yield();
    }
}

class probe {
public:
    probe(shm::mapping where, int rank)
        : where_(std::move(where)), mine_(shown()->of[rank]), theirs_(shown()->of[1 - rank]) {}

    void allreduce(std::byte* data, std::size_t bytes) {
        ++calls_;
        showing& mine = mine_[calls_ % 2];
        const showing& theirs = theirs_[calls_ % 2];
        std::memcpy(mine.data, data, bytes);
        mine.call.store(calls_, std::memory_order_release); // with the data, to the other's acquiring look
        wait_for(theirs.call, calls_);
        auto* const values = reinterpret_cast<float*>(data);
        const auto* const come = reinterpret_cast<const float*>(theirs.data);
        for (std::size_t i = 0; i < bytes / sizeof(float); ++i) values[i] += come[i];
    }

private:
    [[nodiscard]] exhibition* shown() const noexcept { return static_cast<exhibition*>(where_.get()); }

    shm::mapping where_;
    showing* mine_;
    const showing* theirs_;
    std::uint64_t calls_ = 0;
};

binder enter(const contest& c, meeting& others, int rank, int ranks) {
    if (c.settings.operation != "allreduce" || ranks != 2)
        throw std::invalid_argument("the probe is an allreduce of 2 ranks");
    if (c.settings.bytes.largest > most_bytes) throw std::invalid_argument("the probe takes 4 KiB at most");
    const auto self = std::make_shared<probe>(map(c, others), rank);
    return [self](const job& what, const buffers& where) -> call {
        return [self, to = where.output, bytes = what.bytes()] { self->allreduce(to, bytes); };
    };
}

} // namespace
} // namespace tutti::peers

int main(int argc, char** argv) { return tutti::peers::compete(argc, argv, tutti::peers::enter); }
