// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tutti::tools {

/// Which of a rank's two streams.
enum class channel : unsigned char { output, error };

/// Where the output of ranks goes, piece by piece as it comes from their pipes.
class rank_output {
public:
    /// Whether what came before has been written. While it has not, nothing more should be given: so a rank feels that
    /// nobody reads, and what is kept stays bounded.
    [[nodiscard]] virtual bool ready(channel from) const = 0;
    virtual void take(int rank, channel from, std::string_view piece) = 0;
    /// The stream has ended.
    virtual void finish(int rank, channel from) = 0;

protected:
    ~rank_output() = default;
};

} // namespace tutti::tools
