// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <memory>

namespace tutti::tools {

/// A rank's data for one job: writes what the call takes, and knows what it must leave behind. The type of the elements
/// is forgotten.
class bench_data {
public:
    virtual ~bench_data() = default;
    /// Puts the rank's input where the call takes it from.
    virtual void prepare(const buffers& where) const = 0;
    /// Likewise, and spoils all that the call must write.
    virtual void prepare_check(const buffers& where) const = 0;
    /// How many elements are not what the operation promises. 0 where it promises nothing.
    [[nodiscard]] virtual std::uint64_t count_wrong(const buffers& where) const = 0;
};

[[nodiscard]] std::unique_ptr<bench_data> make_data(const job& what);

} // namespace tutti::tools
