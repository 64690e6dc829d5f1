// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/join/launchers.hpp>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace tutti::test {

/// Variables and their values.
using variables = std::map<std::string, std::string>;

/// The environment of one test: these variables and no others that tutti or a known launcher has; as before afterwards.
class surroundings {
public:
    explicit surroundings(const variables& wanted) {
        for (const auto& name : known()) {
            if (const char* old = std::getenv(name.c_str())) before_[name] = old;
            ::unsetenv(name.c_str());
        }
        for (const auto& [name, value] : wanted) ::setenv(name.c_str(), value.c_str(), 1);
    }
    ~surroundings() {
        for (const auto& name : known()) ::unsetenv(name.c_str());
        for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
    }
    surroundings(const surroundings&) = delete;
    surroundings& operator=(const surroundings&) = delete;

private:
    static std::set<std::string> known() {
        std::set<std::string> all{"TUTTI_RANK",     "TUTTI_SIZE",         "TUTTI_ADDRESS",           "TUTTI_SECRET",
                                  "TUTTI_HOST",     "TUTTI_PORTS",        "TUTTI_SECRET_FILE",       "TUTTI_INTERFACE",
                                  "TUTTI_INSECURE", "TUTTI_ENCRYPT",      "TUTTI_BOOTSTRAP_TIMEOUT", "TUTTI_DEADLINE",
                                  "TUTTI_LOG",      "TORCHELASTIC_RUN_ID"};
        for (const auto& l : transport::bootstrap::launchers) {
            all.insert(l.marks.begin(), l.marks.end());
            all.insert(l.variables.begin(), l.variables.end());
        }
        return all;
    }
    variables before_;
};

/// The text of the bootstrap error that the identity comes to in these surroundings; empty where it comes to none.
[[nodiscard]] inline std::string identity_failure(const variables& wanted) {
    const surroundings s(wanted);
    try {
        static_cast<void>(transport::bootstrap::identity_from_environment());
    } catch (const error& e) {
        return e.why() == cause::bootstrap ? e.what() : "not a bootstrap error: " + std::string(e.what());
    }
    return {};
}

} // namespace tutti::test
