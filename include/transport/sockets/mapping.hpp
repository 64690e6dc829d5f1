// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/file_limit.hpp"
#include "socket.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

namespace tutti::transport::detail::shm {

/// Bytes of the pages that hold so many, on any machine.
[[nodiscard]] constexpr std::size_t whole_pages(std::size_t bytes) noexcept {
    constexpr std::size_t page_bytes = 64 * 1024; // a multiple of every machine's
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Part of a file in memory; or zeros of no file, where its descriptor is -1.
class [[nodiscard]] mapping {
public:
    mapping() = default;
    /// Throws std::system_error.
    mapping(int file, std::size_t offset, std::size_t bytes) : bytes_(bytes) {
        where_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, static_cast<off_t>(offset));
        if (where_ == MAP_FAILED) {
            where_ = nullptr;
            throw std::system_error(errno, std::generic_category(),
                                    "cannot map " + std::to_string(bytes) + " bytes of shared memory" +
                                        (errno == ENOMEM ? " (raise ulimit -v, or need less of it)" : ""));
        }
    }
    mapping(mapping&& other) noexcept : where_(std::exchange(other.where_, nullptr)), bytes_(other.bytes_) {}
    mapping& operator=(mapping&& other) noexcept {
        std::swap(where_, other.where_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~mapping() {
        if (where_) ::munmap(where_, bytes_);
    }
    [[nodiscard]] void* get() const noexcept { return where_; }

private:
    void* where_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Shared memory without a name, of no size yet. Throws std::system_error.
[[nodiscard]] inline bootstrap::descriptor nameless_file() {
    bootstrap::descriptor file{bootstrap::opened_within_limit([] { return ::memfd_create("tutti", MFD_CLOEXEC); })};
    if (!file) throw std::system_error(errno, std::generic_category(), "cannot create shared memory");
    return file;
}

/// A file that another process has open under that number, for reading and writing. None: see errno.
[[nodiscard]] inline bootstrap::descriptor open_file(std::int64_t process, int number, int flags = 0) {
    const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
    return bootstrap::descriptor{
        bootstrap::opened_within_limit([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags); })};
}

/// Throws std::system_error.
inline void resize(int file, std::size_t bytes) {
    if (bytes > tutti::detail::most_file_bytes())
        throw std::system_error(EFBIG, std::generic_category(),
                                "cannot make " + std::to_string(bytes) +
                                    " bytes of shared memory: " + tutti::detail::words_of_file_limit());
    if (::ftruncate(file, static_cast<off_t>(bytes)) != 0)
        throw std::system_error(errno, std::generic_category(),
                                "cannot make " + std::to_string(bytes) + " bytes of shared memory");
}

} // namespace tutti::transport::detail::shm
