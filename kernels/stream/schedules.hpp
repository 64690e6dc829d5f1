// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../engine/device_plan.hpp"
#include "call.hpp"
#include "fused_call.hpp"

#include <tutti/transport/contract/stream_runtime.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <list>
#include <vector>

namespace tutti::kernels::detail {

/// The plans of schedules that were called, of all ranks, in memory of the one device that they share.
template <transport::stream_runtime R>
class schedules {
    using native = typename R::native_stream;

public:
    schedules(const R& device, unsigned ranks) : device_(device), ranks_(ranks) {}
    schedules(const schedules&) = delete;
    schedules& operator=(const schedules&) = delete;
    /// No kernel uses them any more.
    ~schedules() {
        for (const loaded& s : all_) device_.free(s.memory);
    }

    /// It was called before, so nothing need be allocated.
    [[nodiscard]] bool has(const ordered_call& c, bool in_place) const noexcept {
        return std::any_of(all_.begin(), all_.end(), [&](const loaded& s) { return s.is_of(c, in_place); });
    }
    /// Sets what the call needs of the plans; from the call's place in the stream on they are there. Errors: as of
    /// device_plans_of; device_error. Cost: of the first call, that of device_plans_of; it may wait for the stream.
    /// Plans are kept, since a graph may replay them.
    void set(scheduled_call& to, const ordered_call& c, bool in_place, native s) {
        auto at = std::find_if(all_.begin(), all_.end(), [&](const loaded& l) { return l.is_of(c, in_place); });
        if (at == all_.end()) {
            all_.push_back(made(c, in_place, s));
            at = std::prev(all_.end());
        }
        for (unsigned r = 0; r < ranks_; ++r) {
            const part& p = at->parts[r];
            to.steps[r] = reinterpret_cast<const device_step*>(at->memory + p.steps);
            to.operands[r] = reinterpret_cast<const operand*>(at->memory + p.operands);
            to.number[r] = p.number;
            to.messages[r] = p.messages;
            to.memory[r][static_cast<unsigned>(device_memory::scratch)] = at->memory + p.scratch;
        }
    }

private:
    struct part {
        std::size_t steps, operands, scratch; ///< where they begin
        std::uint32_t number;
        message_counts messages;
    };
    struct loaded {
        algorithm::any how;
        std::size_t count, element_bytes;
        bool in_place;
        std::byte* memory;
        std::vector<std::byte> kept; ///< the host's copy: the stream may read it late
        std::array<part, most_peers> parts;

        [[nodiscard]] bool is_of(const ordered_call& c, bool placed) const noexcept {
            return how == *c.how && count == c.count && element_bytes == c.element_bytes && in_place == placed;
        }
    };

    [[nodiscard]] loaded made(const ordered_call& c, bool in_place, native s) const {
        const auto program = c.how->write(schedule::operation::allreduce, static_cast<int>(ranks_), 0, in_place, 1);
        const auto plans = device_plans_of(program, c.count, c.element_bytes);
        loaded l{*c.how, c.count, c.element_bytes, in_place, nullptr, {}, {}};
        for (unsigned r = 0; r < ranks_; ++r) {
            part& p = l.parts[r];
            p.steps = append(l.kept, plans[r].steps);
            p.operands = append(l.kept, plans[r].operands);
            p.number = static_cast<std::uint32_t>(plans[r].steps.size());
            p.messages = plans[r].messages;
        }
        std::size_t bytes = l.kept.size();
        for (unsigned r = 0; r < ranks_; ++r) {
            l.parts[r].scratch = bytes;
            bytes = aligned(bytes + plans[r].scratch * c.element_bytes);
        }
        l.memory = device_.allocate(std::max<std::size_t>(1, bytes));
        try {
            device_.copy_on(l.memory, l.kept.data(), l.kept.size(), s);
        } catch (...) {
            device_.free(l.memory);
            throw;
        }
        return l;
    }
    [[nodiscard]] static constexpr std::size_t aligned(std::size_t bytes) noexcept { return (bytes + 255) / 256 * 256; }
    /// Returns where they begin.
    template <class Item>
    [[nodiscard]] static std::size_t append(std::vector<std::byte>& to, const std::vector<Item>& items) {
        const std::size_t at = to.size();
        to.resize(aligned(at + items.size() * sizeof(Item)));
        if (!items.empty()) std::memcpy(to.data() + at, items.data(), items.size() * sizeof(Item));
        return at;
    }

    R device_;
    unsigned ranks_;
    std::list<loaded> all_;
};

} // namespace tutti::kernels::detail
