// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/error.hpp>

#include <string>
#include <utility>

namespace tutti::transport::bootstrap {

/// Throws the error for a rank that cannot join the others; `peer` is the rank at fault, where one is known.
[[noreturn]] inline void bootstrap_failed(std::string detail, std::string remedy = {}, int peer = -1) {
    fault f;
    f.why = cause::bootstrap;
    f.peer = peer;
    f.detail = std::move(detail);
    f.remedy = std::move(remedy);
    throw error(std::move(f));
}

} // namespace tutti::transport::bootstrap
