// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <zlib.h>

namespace tutti::tools {
namespace {

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
    throw std::runtime_error("cannot read " + path + ": " + why);
}

std::string reason_of(gzFile file) {
    int code = Z_OK;
    const char* const said = gzerror(file, &code);
    if (code == Z_ERRNO) return std::strerror(errno);
    if (code == Z_BUF_ERROR) return "its packed data are cut off";
    return std::string("its packed data are damaged (") + said + ")";
}

} // namespace

std::string whole_file(const std::string& path) {
    errno = 0;
    gzFile const file = gzopen(path.c_str(), "rb");
    if (!file) cannot_read(path, errno != 0 ? std::strerror(errno) : "there is no memory for it");
    const std::unique_ptr<gzFile_s, decltype(&gzclose_r)> closed{file, &gzclose_r};
    std::string bytes;
    constexpr unsigned piece = 1 << 20;
    for (int got = 1; got > 0;) {
        const std::size_t before = bytes.size();
        bytes.resize(before + piece);
        got = gzread(file, bytes.data() + before, piece);
        if (got < 0) cannot_read(path, reason_of(file));
        bytes.resize(before + static_cast<std::size_t>(got));
    }
    // A file that ends within its packed data is told of only now.
    int code = Z_OK;
    gzerror(file, &code);
    if (code != Z_OK) cannot_read(path, reason_of(file));
    return bytes;
}

} // namespace tutti::tools
