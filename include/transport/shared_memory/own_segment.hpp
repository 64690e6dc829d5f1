// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "segment.hpp"

#include <sys/random.h>

#include <memory>
#include <new>

namespace tutti::transport::detail::shm {

/// The segment of this rank. Throws std::system_error where the system gives no more memory or descriptors.
class own_segment {
public:
    own_segment() : memory_(created()) {
        auto* const top = new (memory_.start()) head;
        top->key = *private_key_;
        top->private_key_at = reinterpret_cast<std::uintptr_t>(private_key_.get());
    }

    [[nodiscard]] int file() const noexcept { return memory_.file(); }
    [[nodiscard]] std::uint64_t key() const noexcept { return *private_key_; }
    [[nodiscard]] head& top() const noexcept { return memory_.top(); }

    struct way {
        lane* data;
        directory::entry* where;
    };
    /// A new lane to that rank, published.
    [[nodiscard]] way add_lane(context k, int reader) {
        const auto index = top().lanes.free_entry();
        if (!index)
            throw std::system_error(ENOBUFS, std::generic_category(),
                                    "more than " + std::to_string(directory::most_lanes) + " channels of one rank");
        const std::size_t blocks = *index / segment::block_lanes + 1;
        if (blocks > blocks_) {
            resize(memory_.file(), segment::bytes_for(blocks));
            blocks_ = blocks;
        }
        auto* const made = new (memory_.lane_at(*index)) lane;
        top().lanes.add(*index, k, reader);
        return {made, &top().lanes.at(*index)};
    }

private:
    [[nodiscard]] static bootstrap::descriptor created() {
        auto file = nameless_file();
        resize(file.get(), segment::bytes_for(0));
        return file;
    }

    [[nodiscard]] static std::unique_ptr<std::uint64_t> drawn() {
        auto key = std::make_unique<std::uint64_t>();
        if (::getrandom(key.get(), sizeof *key, 0) != sizeof *key)
            throw std::system_error(errno, std::generic_category(), "the system gives no random numbers");
        return key;
    }

    std::unique_ptr<std::uint64_t> private_key_ = drawn(); // stays where it is
    segment memory_;
    std::size_t blocks_ = 0;
};

} // namespace tutti::transport::detail::shm
