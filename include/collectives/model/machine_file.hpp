// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

// Not for the library itself: it includes nlohmann-json, so only programs that read or write machines take it.

#include "../../base/whole_file.hpp"
#include "gpu_host.hpp"
#include "machine_file/gpus.hpp"
#include "machine_file/json.hpp"
#include "machine_file/residuals.hpp"
#include "residuals.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tutti::model {

/// The calibrated parameters of a machine, by the name of the transport, and what its GPUs cost. It has one or both.
struct machine_file {
    std::string made; ///< when, where and how the figures came about: a sentence for people
    std::map<std::string, calibrated_machine> transports; ///< by name: "tcp", "shared_memory", ...
    std::optional<gpu_host> gpus{};                       ///< of one host
    friend bool operator==(const machine_file&, const machine_file&) = default;
};

/// The text of a file: JSON, times in seconds, every number with as many digits as bring back the same value. What is
/// no UTF-8 becomes U+FFFD.
[[nodiscard]] inline std::string text_of(const machine_file& f) {
    detail::json j{{"tutti_machine", 1}, {"made", f.made}};
    for (const auto& [name, m] : f.transports) j["transports"][name] = detail::to_json(m);
    if (f.gpus) j["gpus"] = detail::to_json(*f.gpus);
    return j.dump(2, ' ', false, detail::json::error_handler_t::replace) + "\n";
}

/// What text_of() wrote, or somebody by hand. Throws tutti::error(invalid_argument) that names the key which is
/// missing, doubled, unknown or of no meaning; `source` says whose text it is.
[[nodiscard]] inline machine_file parse_machine_file(std::string_view text, const std::string& source = "the text") {
    detail::json j = detail::parsed(text, source);
    if (!j.is_object() || !j.contains("tutti_machine")) detail::refuse_machine(source, "describes no machine");
    if (j.at("tutti_machine") != 1) detail::refuse_machine(source, "has another version of \"tutti_machine\" than 1");
    machine_file f;
    if (j.contains("gpus")) {
        f.gpus = detail::gpu_host_from(j.at("gpus"), source + ", gpus");
        j.erase("gpus");
    }
    const bool alone = f.gpus && !j.contains("transports");
    if (alone) j["transports"] = detail::json::object();
    detail::expect_keys(j, source, {"tutti_machine", "made", "transports"});
    f.made = detail::text_of(j, source, "made");
    const detail::json& transports = j.at("transports");
    if (!transports.is_object() || (transports.empty() && !alone))
        detail::refuse_machine(source, "has no \"transports\"");
    for (const auto& [name, m] : transports.items())
        f.transports.emplace(name, detail::calibrated_machine_from(m, source + ", " + name));
    return f;
}

/// Throws tutti::error(invalid_argument) if the file cannot be read, and as parse_machine_file().
[[nodiscard]] inline machine_file read_machine_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad()) reject("machine file", path + " cannot be read");
    if (text.empty()) reject("machine file", path + " is empty: was what wrote it, as tutti fit -o, ended too soon?");
    return parse_machine_file(text, path);
}

/// Whoever reads the file meanwhile finds all of what it held, or all of this. Throws tutti::error(invalid_argument) if
/// it cannot be written.
inline void write_machine_file(const std::string& path, const machine_file& f) {
    try {
        tutti::detail::write_whole(text_of(f), path);
    } catch (const std::system_error& e) {
        reject("machine file", path + " cannot be written: " + e.code().message());
    }
}

} // namespace tutti::model
