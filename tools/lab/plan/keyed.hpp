// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <base/error.hpp>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tutti::tools::planner {

/// An object of a file for the planner. What is wrong is told with its key; nothing missing counts as 0.
class keyed {
public:
    using json = nlohmann::ordered_json;

    /// `where` names the file, and the object in it. Throws if this is no object of just these keys.
    keyed(const json& object, std::string where, std::initializer_list<std::string_view> keys)
        : object_(object), where_(std::move(where)) {
        if (!object.is_object()) refuse("is no object");
        for (const std::string_view key : keys)
            if (!object.contains(key)) refuse("lacks \"" + std::string(key) + '"');
        for (const auto& [key, value] : object.items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                refuse("has \"" + key + "\", which nobody knows");
    }

    [[nodiscard]] const json& at(std::string_view key) const { return object_.at(key); }
    /// From `least` to 1e30.
    [[nodiscard]] double number(std::string_view key, double least = 0) const {
        const json& value = at(key);
        if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() < 1e30))
            refuse("needs in \"" + std::string(key) + "\" a number that is at least " + short_number(least) +
                   " and below 1e30");
        return value.get<double>();
    }
    /// A whole number from `least` to a million.
    [[nodiscard]] int count(std::string_view key, int least = 0) const {
        const json& value = at(key);
        constexpr int most = 1'000'000;
        if (!value.is_number_integer() || value.get<double>() < least || value.get<double>() > most)
            refuse("needs in \"" + std::string(key) + "\" a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
        return value.get<int>();
    }
    [[nodiscard]] std::string text(std::string_view key) const {
        if (!at(key).is_string()) refuse("has in \"" + std::string(key) + "\" no text");
        return at(key).get<std::string>();
    }
    [[nodiscard]] const std::string& where() const noexcept { return where_; }
    [[noreturn]] void refuse(const std::string& why) const {
        reject("plan", where_ + " " + why, "docs/planner.md has the format");
    }

private:
    /// "0", where a dump would write "0.0".
    [[nodiscard]] static std::string short_number(double n) {
        std::string text = json(n).dump();
        if (text.ends_with(".0")) text.resize(text.size() - 2);
        return text;
    }

    const json& object_;
    std::string where_;
};

/// Throws tutti::error(invalid_argument) where the text is no JSON.
[[nodiscard]] inline keyed::json parsed_json(const std::string& text, const std::string& source) {
    keyed::json j = keyed::json::parse(text, nullptr, false);
    if (j.is_discarded()) reject("plan", source + " is no JSON", "docs/planner.md has the format");
    return j;
}

/// All of a file. Throws tutti::error(invalid_argument) where it cannot be read; `known` are the names that would do.
[[nodiscard]] inline std::string text_of_file(const std::string& path, const std::string& known) {
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad()) reject("plan", path + " cannot be read", "give a file, or one of " + known);
    return text;
}

} // namespace tutti::tools::planner
