// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <utility>

/// How MPI, NCCL, nccl-tests, the OSU benchmarks and the Intel MPI benchmarks call what has another name here.
namespace tutti::tools {

using alias = std::pair<std::string_view, std::string_view>; ///< theirs, ours

inline constexpr auto operation_aliases = std::to_array<alias>({
    {"all_reduce", "allreduce"},
    {"all_gather", "allgather"},
    {"reducescatter", "reduce_scatter"},
    {"reduce_scatter_block", "reduce_scatter"},
    {"bcast", "broadcast"},
    {"all_to_all", "alltoall"},
    {"latency", "pingpong"},
    {"ping_pong", "pingpong"},
    {"send_recv", "sendrecv"},
    {"bandwidth", "stream"},
    {"bw", "stream"},
    {"uniband", "message_rate"},
    {"bidirectional", "bistream"},
    {"bibw", "bistream"},
    {"biband", "bistream"},
    {"multi_lat", "multi_latency"},
    {"mbw_mr", "message_rate"},
    {"mr", "message_rate"},
    {"iallreduce", "allreduce"}, // what --overlap measures
    {"ibcast", "broadcast"},
    {"ialltoall", "alltoall"},
    {"ibarrier", "barrier"},
});

inline constexpr auto type_aliases = std::to_array<alias>({
    {"float", "float32"},
    {"half", "float16"},
    {"double", "float64"},
    {"int", "int32"},
    {"uint", "uint32"},
    {"unsigned", "uint32"},
    {"char", "int8"},
    {"byte", "uint8"},
    {"short", "int16"},
    {"long", "int64"},
    {"long_long", "int64"},
    {"unsigned_long", "uint64"},
    {"fp64", "float64"},
    {"fp32", "float32"},
    {"fp16", "float16"},
    {"bf16", "bfloat16"},
    {"fp8_e4m3", "float8_e4m3"},
    {"f8e4m3", "float8_e4m3"},
    {"fp8_e5m2", "float8_e5m2"},
    {"f8e5m2", "float8_e5m2"},
    {"float8e4m3", "float8_e4m3"},
    {"float8e5m2", "float8_e5m2"},
});

inline constexpr auto operator_aliases = std::to_array<alias>({
    {"prod", "product"},
    {"min", "minimum"},
    {"max", "maximum"},
    {"avg", "average"},
    {"band", "bitwise_and"},
    {"bor", "bitwise_or"},
    {"bxor", "bitwise_xor"},
    {"land", "logical_and"},
    {"lor", "logical_or"},
    {"lxor", "logical_xor"},
    {"mulsum", "premultiplied_sum"},
});

/// Our name for a word: in any case of letters, with MPI_ or OSU_ before it or _perf behind it. A word that is not
/// known stays as it was written, so that it can be quoted.
[[nodiscard]] inline std::string our_name(std::string_view word, std::span<const alias> aliases, const auto& ours) {
    std::string lower;
    for (const char c : word) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string_view bare = lower;
    for (const std::string_view before : {"mpi_", "osu_"})
        if (bare.starts_with(before)) bare.remove_prefix(before.size());
    if (bare.ends_with("_perf")) bare.remove_suffix(5);
    const auto found = std::find_if(aliases.begin(), aliases.end(), [&](const alias& a) { return a.first == bare; });
    if (found != aliases.end()) return std::string(found->second);
    return std::find(ours.begin(), ours.end(), bare) != ours.end() ? std::string(bare) : std::string(word);
}

} // namespace tutti::tools
