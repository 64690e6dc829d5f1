// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/choices.hpp"
#include "report.hpp"

#include <collectives/model/gpu/kernels.hpp>
#include <collectives/model/gpu_host.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tutti::tools {

/// The kernel of that name; none where a schedule has it.
[[nodiscard]] std::optional<model::gpu_kernel> kernel_named(std::string_view name) noexcept;

/// Prices calls of float32 on the GPUs of a host: by a kernel's closed form, or by a schedule's plans for the device
/// engine, which are simulated.
class gpu_pricing {
public:
    /// Ranks have a GPU each, or share one. `segments`: of what can be cut; 0: the best power of two.
    gpu_pricing(const model::gpu_host& on, bool on_one, int segments) : on_(on), on_one_(on_one), segments_(segments) {}

    [[nodiscard]] model_row price(operation what, const std::string& algorithm, int ranks, std::size_t bytes);
    /// What could not be priced, and why.
    [[nodiscard]] const std::set<std::string>& notes() const noexcept { return notes_; }

private:
    [[nodiscard]] model::gpu_placement placement(int ranks) const noexcept { return {ranks, on_one_}; }
    void price_kernel(model_row& row, model::gpu_kernel k) const;
    void price_schedule(model_row& row, operation what);
    [[nodiscard]] double simulated_us(operation what, const algorithm::any& how, const model_row& row,
                                      int segments) const;

    model::gpu_host on_;
    bool on_one_;
    int segments_;
    std::set<std::string> notes_;
};

} // namespace tutti::tools
