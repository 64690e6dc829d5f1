// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "report.hpp"

#include "plan.hpp"

#include <sys/resource.h>

namespace tutti::soak {

/// Makes every listening socket of this process refuse connections from now on.
void refuse_connections();

/// Lowers the limit of this process, so that so many more descriptors can be opened.
void leave_descriptors(int spare);

/// Gives the process its limit of descriptors back when it goes.
class descriptor_limit {
public:
    descriptor_limit() noexcept { ::getrlimit(RLIMIT_NOFILE, &before_); }
    ~descriptor_limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    descriptor_limit(const descriptor_limit&) = delete;
    descriptor_limit& operator=(const descriptor_limit&) = delete;

private:
    rlimit before_{};
};

/// Waits until each rank but the victim has failed or ended, so long as an error may take.
void await_the_others(const plan& p, const reports& all);

/// This rank makes no call any more.
void announce_end(report& mine) noexcept;

} // namespace tutti::soak
