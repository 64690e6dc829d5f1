// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <unistd.h>

namespace tutti::tools {

/// A file descriptor that is closed with its owner.
class descriptor {
public:
    explicit descriptor(int number = -1) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { reset(); }

    void reset() noexcept {
        if (number_ >= 0) close(std::exchange(number_, -1));
    }
    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] bool open() const noexcept { return number_ >= 0; }

private:
    int number_;
};

} // namespace tutti::tools
