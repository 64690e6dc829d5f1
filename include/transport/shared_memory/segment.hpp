// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bootstrap/socket.hpp"
#include "directory.hpp"
#include "doorbell.hpp"
#include "lane.hpp"
#include "mapping.hpp"
#include "regions.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::transport::detail::shm {

/// How a segment begins. Everything that is not atomic is written before the others get to know of the segment.
struct head {
    static constexpr std::uint64_t this_layout = 0x7475'7474'6900'0002; // "tutti", and a version

    std::uint64_t layout = this_layout;
    std::uint64_t key = 0;            ///< drawn by the owner: this is the segment that was meant
    std::uint64_t private_key_at = 0; ///< where the owner keeps the key in memory of its own, for probing
    std::int32_t bell_pipe = -1;      ///< under which descriptor the owner has its bell_pipe; -1: it does not poll
    alignas(64) doorbell bell;
    /// Peers who have mapped this; each adds one (release), the owner waits for all of them before it goes (acquire).
    alignas(64) std::atomic<std::uint32_t> attached{0};
    std::atomic<std::uint32_t> left{0};  ///< set by the owner (release) after all that it did, read by peers (acquire)
    std::atomic<std::uint32_t> alarm{0}; ///< raised by a peer who has told the ledger something urgent; only a hint
    alignas(64) directory lanes;
    regions symmetric;
};

/// The memory that one rank shares with all others of its host: a head, and the lanes that lead from it, in blocks that
/// are mapped when first needed. It has no name and is gone with the last process that has it open. The kernel gives it
/// pages as they are touched, whatever the size of /dev/shm.
class segment {
public:
    /// The file is open for reading and writing, and has a head. Throws std::system_error.
    explicit segment(bootstrap::descriptor file) : file_(std::move(file)), head_(file_.get(), 0, head_bytes) {}

    [[nodiscard]] int file() const noexcept { return file_.get(); }
    [[nodiscard]] void* start() const noexcept { return head_.get(); }
    [[nodiscard]] head& top() const noexcept { return *static_cast<head*>(head_.get()); }

    /// Throws std::system_error, also where the file does not reach so far: to touch the lane would raise SIGBUS.
    [[nodiscard]] void* lane_at(std::size_t index) {
        const std::size_t block = index / block_lanes;
        if (blocks_.size() <= block) blocks_.resize(block + 1);
        if (!blocks_[block].get()) blocks_[block] = mapped(block);
        return static_cast<std::byte*>(blocks_[block].get()) + index % block_lanes * sizeof(lane);
    }

    /// Bytes of a file that holds so many blocks.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t blocks) noexcept {
        return head_bytes + blocks * block_bytes;
    }
    static constexpr std::size_t block_lanes = 16;

private:
    static constexpr std::size_t head_bytes = whole_pages(sizeof(head));
    static constexpr std::size_t block_bytes = whole_pages(block_lanes * sizeof(lane));

    [[nodiscard]] mapping mapped(std::size_t block) const {
        const std::size_t end = bytes_for(block + 1);
        if (::lseek(file_.get(), 0, SEEK_END) < static_cast<off_t>(end))
            throw std::system_error(ENXIO, std::generic_category(), "the segment ends before its lane");
        return {file_.get(), end - block_bytes, block_bytes};
    }

    bootstrap::descriptor file_;
    mapping head_;
    std::vector<mapping> blocks_;
};

} // namespace tutti::transport::detail::shm
