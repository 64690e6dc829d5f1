// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"

#include <cstdint>
#include <string>

namespace tutti::training {

/// What is wrong with a checkpoint.
enum class checkpoint_flaw : std::uint8_t {
    unwritable,  ///< it cannot be written; the one before it is as it was
    unreadable,  ///< it cannot be opened or read
    foreign,     ///< it is no checkpoint of tutti, or one of a machine with another byte order
    version,     ///< it has a format of another version
    truncated,   ///< it has less or more bytes than its header says
    damaged,     ///< its checksum is wrong
    other_model, ///< it has other parameters, or the state of another rule
    mixed,       ///< its files are of several saves, none of which is whole
};

/// Thrown on every rank, with the same words. Its cause is cause::file: the communicator stays usable, and nothing has
/// changed, unless a restore says that a part was read.
class checkpoint_error : public error {
public:
    /// Of the file at `path`.
    checkpoint_error(checkpoint_flaw what, const std::string& operation, const std::string& path,
                     const std::string& detail)
        : error(tutti::detail::make_fault(cause::file, operation, -1, path + " " + detail)), flaw_(what) {}
    /// What is wrong.
    [[nodiscard]] checkpoint_flaw flaw() const noexcept { return flaw_; }

private:
    checkpoint_flaw flaw_;
};

} // namespace tutti::training
