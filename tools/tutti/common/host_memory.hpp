// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <unistd.h>

namespace tutti::tools {

/// Zeroed memory that begins so many bytes behind the start of a page. Throws std::bad_alloc.
[[nodiscard]] inline std::shared_ptr<std::byte> page_memory(std::size_t bytes, std::size_t offset = 0) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = (offset + bytes + page - 1) / page * page;
    auto* const begin = static_cast<std::byte*>(std::aligned_alloc(page, whole));
    if (!begin) throw std::bad_alloc();
    const std::shared_ptr<std::byte> pages(begin, [](std::byte* p) { std::free(p); });
    std::fill_n(begin, whole, std::byte{0});
    return {pages, begin + offset};
}

/// Zeroed memory that lies as that of a std::vector does in a new process: glibc maps pages for 128 KiB and more, and
/// puts a header of 16 bytes in front. Where as much was freed before, glibc takes that instead. This does not, so that
/// a row does not depend on those before it. Throws std::bad_alloc.
[[nodiscard]] inline std::shared_ptr<std::byte> vector_memory(std::size_t bytes) {
    constexpr std::size_t mapped = std::size_t{128} << 10, header = 16;
    if (bytes >= mapped) return page_memory(bytes, header);
    const auto made = std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(bytes, 1));
    return {made, made->data()};
}

} // namespace tutti::tools
