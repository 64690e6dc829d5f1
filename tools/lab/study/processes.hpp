// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "study.hpp"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace tutti::tools::study {

using numbers = std::vector<double>;

/// Structs of figures of eight bytes as a process gives them, and back.
/// @{
template <class T>
[[nodiscard]] numbers numbers_of(const std::vector<T>& all) {
    static_assert(sizeof(T) % sizeof(double) == 0 && std::is_trivially_copyable_v<T>);
    numbers found(all.size() * sizeof(T) / sizeof(double));
    if (!all.empty()) std::memcpy(found.data(), all.data(), all.size() * sizeof(T));
    return found;
}
template <class T>
[[nodiscard]] std::vector<T> of_numbers(std::span<const double> found) {
    std::vector<T> all(found.size() * sizeof(double) / sizeof(T));
    if (!all.empty()) std::memcpy(static_cast<void*>(all.data()), found.data(), all.size() * sizeof(T));
    return all;
}
/// @}

/// Since it was made.
class stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// work(0), work(1) ... `tasks - 1`, each in a process of its own, at most `at_once` of them at the same time: a
/// sequential OpenBLAS cannot compute in two threads. Returns what each gave, by task, so that it does not depend on
/// the order in which they end. told(done) hears of each that ended. Throws std::runtime_error with the message of the
/// first that failed, after the others have been ended.
///
/// Precondition: this process has one thread, since a child has no other thread than the one that forks.
[[nodiscard]] std::vector<numbers> in_processes(std::size_t tasks, std::size_t at_once,
                                                const std::function<numbers(std::size_t)>& work,
                                                const std::function<void(std::size_t done)>& told);

/// The same of a study's trainings, which the line counts.
[[nodiscard]] std::vector<numbers> trainings(const settings& s, progress_line& line, std::size_t count,
                                             const std::function<numbers(std::size_t)>& train);

/// Seconds of processors that all children that have ended took together.
[[nodiscard]] double cpu_s_of_children();

} // namespace tutti::tools::study
