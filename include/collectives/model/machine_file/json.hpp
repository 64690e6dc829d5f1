// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "../machine.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

/// A machine as JSON, and back. Names and checks the keys.
namespace tutti::model::detail {

using json = nlohmann::ordered_json;

[[noreturn]] inline void refuse_machine(const std::string& where, const std::string& why) {
    reject("machine file", where + " " + why, "docs/model.md shows one: all of its keys, and no other");
}

/// The text of a fault behind the name of its class.
[[nodiscard]] inline std::string reason_of(const json::exception& e) {
    const std::string_view all = e.what();
    const std::size_t end = all.find("] ");
    return std::string(end == all.npos ? all : all.substr(end + 2));
}

/// Text as JSON, in which no object may have a key twice: by itself the parser would keep one of them. Nor may it be
/// nested deeper than a machine is, twice over: values are copied by recursion, which would take all of the stack.
[[nodiscard]] inline json parsed(std::string_view text, const std::string& source) {
    constexpr int deepest = 16;
    std::vector<std::set<std::string>> keys; // of the objects that are open
    const auto look = [&](int depth, json::parse_event_t event, const json& value) {
        if (depth > deepest) refuse_machine(source, "is nested deeper than any machine");
        if (event == json::parse_event_t::object_start) keys.emplace_back();
        if (event == json::parse_event_t::object_end) keys.pop_back();
        if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
            refuse_machine(source, "has \"" + value.get<std::string>() + "\" twice in one object");
        return true;
    };
    try {
        return json::parse(text, look);
    } catch (const json::parse_error& e) {
        refuse_machine(source, "is no JSON: " + reason_of(e));
    } catch (const json::out_of_range& e) {
        refuse_machine(source, "has a number out of range: " + reason_of(e));
    }
}

/// An object that has these keys, all of them and no other.
inline void expect_keys(const json& j, const std::string& where, std::initializer_list<const char*> keys) {
    if (!j.is_object()) refuse_machine(where, "is no object");
    for (const char* key : keys)
        if (!j.contains(key)) refuse_machine(where, "lacks \"" + std::string(key) + '"');
    for (const auto& [key, value] : j.items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            refuse_machine(where, "has \"" + key + "\", which nobody knows");
}

/// Times are in seconds and below thirty years.
[[nodiscard]] inline double number_of(const json& j, const std::string& where, const char* key, double least = 0,
                                      double below = 1e9) {
    const json& value = j.at(key);
    const char* const what = least > 0 ? "1" : least < 0 ? "-overhead_s" : "0";
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() < below))
        refuse_machine(where, "has in \"" + std::string(key) + "\" no number from " + what + " to below " +
                                  json(below).dump());
    return value.get<double>();
}

[[nodiscard]] inline std::size_t whole_of(const json& j, const std::string& where, const char* key, std::size_t most) {
    const json& value = j.at(key);
    if (!value.is_number_unsigned() || value.get<std::size_t>() > most)
        refuse_machine(where, "has in \"" + std::string(key) + "\" no whole number from 0 to " + std::to_string(most));
    return value.get<std::size_t>();
}

[[nodiscard]] inline int count_of(const json& j, const std::string& where, const char* key) {
    return static_cast<int>(whole_of(j, where, key, 1'000'000));
}

[[nodiscard]] inline std::string text_of(const json& j, const std::string& where, const char* key) {
    if (!j.at(key).is_string()) refuse_machine(where, "has in \"" + std::string(key) + "\" no text");
    return j.at(key).get<std::string>();
}

/// Binds all members, so that a new one that no file would keep does not compile.
[[nodiscard]] inline json to_json(const price_range& s, bool last) {
    const auto& [latency, overhead, gap, gap_per_byte, gamma_per_byte, overhead_per_byte, copy_per_byte] = s.cost;
    return {{"name", std::string(s.name.data())},
            {"most_bytes", last ? json(nullptr) : json(s.most_bytes)},
            {"latency_s", latency},
            {"overhead_s", overhead},
            {"gap_s", gap},
            {"gap_s_per_byte", gap_per_byte},
            {"gamma_s_per_byte", gamma_per_byte},
            {"overhead_s_per_byte", overhead_per_byte},
            {"copy_s_per_byte", copy_per_byte}};
}

[[nodiscard]] inline price_range price_range_from(const json& j, const std::string& where, bool last) {
    expect_keys(j, where,
                {"name", "most_bytes", "latency_s", "overhead_s", "gap_s", "gap_s_per_byte", "gamma_s_per_byte",
                 "overhead_s_per_byte", "copy_s_per_byte"});
    price_range s;
    const std::string name = text_of(j, where, "name");
    if (name.size() >= s.name.size()) refuse_machine(where, "has a name of more than 15 bytes");
    if (name.find('\0') != name.npos) refuse_machine(where, "has a name with a zero byte");
    std::copy(name.begin(), name.end(), s.name.begin());
    constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
    if (last && !j.at("most_bytes").is_null()) refuse_machine(where, "is the last: its \"most_bytes\" must be null");
    if (!last) s.most_bytes = whole_of(j, where, "most_bytes", unbounded - 1);
    s.cost = {number_of(j, where, "latency_s", -number_of(j, where, "overhead_s")),
              number_of(j, where, "overhead_s"),
              number_of(j, where, "gap_s"),
              number_of(j, where, "gap_s_per_byte"),
              number_of(j, where, "gamma_s_per_byte"),
              number_of(j, where, "overhead_s_per_byte"),
              number_of(j, where, "copy_s_per_byte")};
    return s;
}

[[nodiscard]] inline json to_json(const link& l) {
    json segments = json::array();
    for (int k = 0; k < l.count; ++k)
        segments.push_back(to_json(l.ranges[static_cast<std::size_t>(k)], k + 1 == l.count));
    return {{"segments", std::move(segments)}};
}

[[nodiscard]] inline link link_from(const json& j, const std::string& where) {
    expect_keys(j, where, {"segments"});
    const json& segments = j.at("segments");
    if (!segments.is_array() || segments.empty() || segments.size() > most_ranges)
        refuse_machine(where, "has in \"segments\" no list of 1 to " + std::to_string(most_ranges));
    link l;
    l.count = static_cast<int>(segments.size());
    for (std::size_t k = 0; k < segments.size(); ++k) {
        const std::string here = where + ", segment " + std::to_string(k + 1);
        l.ranges[k] = price_range_from(segments[k], here, k + 1 == segments.size());
        if (k > 0 && l.ranges[k].most_bytes <= l.ranges[k - 1].most_bytes)
            refuse_machine(here, "ends before it begins: segments go by size, upwards");
    }
    return l;
}

[[nodiscard]] inline json to_json(const machine& m) {
    const auto& [near, far, fan_in, cores, switched, crowded, call, cache, miss, nics, oversubscription, receiver] = m;
    if (receiver != receiver_rule::full_duplex)
        reject("machine_file", "a measured machine's receivers are full_duplex");
    return {{"near", to_json(near)},
            {"far", to_json(far)},
            {"fan_in", {{"threshold_ranks", fan_in.threshold}, {"epsilon_s_per_byte", fan_in.epsilon_s_per_byte}}},
            {"cores_per_node", cores},
            {"switch_s", switched},
            {"crowded_latency_s", crowded},
            {"call_s", call},
            {"cache_bytes", cache},
            {"miss_s_per_byte", miss},
            {"nics_per_node", nics},
            {"oversubscription", oversubscription}};
}

[[nodiscard]] inline machine machine_from(const json& j, const std::string& where) {
    expect_keys(j, where,
                {"near", "far", "fan_in", "cores_per_node", "switch_s", "crowded_latency_s", "call_s", "cache_bytes",
                 "miss_s_per_byte", "nics_per_node", "oversubscription"});
    const json& fan_in = j.at("fan_in");
    expect_keys(fan_in, where + ", fan_in", {"threshold_ranks", "epsilon_s_per_byte"});
    machine m;
    m.near = link_from(j.at("near"), where + ", near");
    m.far = link_from(j.at("far"), where + ", far");
    m.fan_in = {count_of(fan_in, where, "threshold_ranks"), number_of(fan_in, where, "epsilon_s_per_byte")};
    m.cores = count_of(j, where, "cores_per_node");
    m.switch_s = number_of(j, where, "switch_s");
    m.crowded_latency_s = number_of(j, where, "crowded_latency_s");
    m.call_s = number_of(j, where, "call_s");
    m.cache_bytes = number_of(j, where, "cache_bytes", 0, 1e18);
    m.miss_s_per_byte = number_of(j, where, "miss_s_per_byte");
    m.nics = count_of(j, where, "nics_per_node");
    m.oversubscription = number_of(j, where, "oversubscription", 1);
    return m;
}

} // namespace tutti::model::detail
