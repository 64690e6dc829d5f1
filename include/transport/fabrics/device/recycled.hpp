// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

namespace tutti::transport::detail::device {

/// Objects that stay where they are, and are used again.
template <class T>
class recycled {
public:
    /// As it was given back, or a new one.
    [[nodiscard]] T& take() {
        if (free_.empty()) {
            free_.reserve(made_.size() + 1);
            made_.reserve(made_.size() + 1);
            free_.push_back(made_.emplace_back(std::make_unique<T>()).get());
        }
        T& t = *free_.back();
        free_.pop_back();
        return t;
    }
    void give_back(T& t) noexcept { free_.push_back(&t); } // its place was reserved

    /// All of them, in use or not.
    template <class Use>
    void each(Use use) {
        for (const auto& t : made_) use(*t);
    }

private:
    std::vector<std::unique_ptr<T>> made_;
    std::vector<T*> free_;
};

} // namespace tutti::transport::detail::device
