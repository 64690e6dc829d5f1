// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "library.hpp"

#include <cstdint>
#include <memory>

namespace tutti::detail {
inline namespace TUTTI_ASIO_NAMESPACE {

/// A request that a loop looks after in its owner's place. It lies in memory of its handler's allocator, and frees it.
class awaited {
public:
    awaited(const awaited&) = delete;
    awaited& operator=(const awaited&) = delete;

    [[nodiscard]] virtual bool is_over() const noexcept = 0;
    /// Gives the call up, which is over then; false: it goes on, as a receive that a message has met. Throws if another
    /// thread is inside a call.
    [[nodiscard]] virtual bool give_up() = 0;
    /// Collects the call and hands its result to the program: if `here`, at once where the handler's executor allows.
    /// Frees it.
    virtual void finish(bool here) = 0;
    /// Withdraws a receive that no message has met, else waits for the call; without a word.
    virtual void settle() noexcept = 0;
    /// Does so, and frees it.
    virtual void drop() noexcept = 0;

    std::uint64_t number = 0; ///< in its loop

protected:
    awaited() = default;
    ~awaited() = default;
};
struct dropping {
    void operator()(awaited* a) const noexcept { a->drop(); }
};
using owned_awaited = std::unique_ptr<awaited, dropping>;

} // namespace TUTTI_ASIO_NAMESPACE
} // namespace tutti::detail
