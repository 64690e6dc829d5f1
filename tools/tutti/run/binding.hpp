// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/contract/processors.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

using transport::bootstrap::processor_set;

/// To which processors of a host ranks are bound, as --bind says it.
class binding {
public:
    /// None.
    binding() = default;
    /// "core", "none", or a list such as "0,2,4-7". Throws std::invalid_argument that quotes what is wrong.
    explicit binding(std::string_view text);

    /// The processor of each of so many ranks of this host, in their order; empty where they are not bound. With "core"
    /// these are the processors that this process may run on, first one of each core, in turn. Throws
    /// std::invalid_argument where a list is shorter than the ranks.
    [[nodiscard]] std::vector<int> processors_for(int ranks) const;

    /// As the constructor takes it.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] bool given() const noexcept { return text_ != "none"; }

private:
    std::string text_ = "none";
    std::vector<int> list_; // empty: there is none
};

/// The calling thread runs on these processors alone, and so do processes that it starts meanwhile; afterwards where it
/// ran before.
class bound_thread {
public:
    /// Throws std::invalid_argument where this host does not let it run on all of them.
    explicit bound_thread(const processor_set& processors);
    bound_thread(const bound_thread&) = delete;
    ~bound_thread();

private:
    processor_set before_;
};

} // namespace tutti::tools
