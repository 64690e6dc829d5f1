// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../sockets/errors.hpp"
#include "environment.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <dlfcn.h>

/// The few functions of PMIx that are needed, found in libpmix.so.2 when a launcher speaks PMIx: no program needs its
/// header or links it. Their types are part of the binary interface that all versions of that library keep; a test
/// compares them with pmix.h.
namespace tutti::transport::bootstrap::detail::pmix {

using status = int;
inline constexpr status success = 0, done_at_once = -157; // PMIX_SUCCESS, PMIX_OPERATION_SUCCEEDED

/// pmix_proc_t
struct process {
    std::array<char, 256> name_space{};
    std::uint32_t rank = 0;
};

enum class value_type : std::uint16_t { truth = 1, text = 3 };

/// pmix_value_t, of whose union only two members are used; the largest has three words.
struct value {
    value_type type = value_type::text;
    union {
        bool truth;
        char* text;
        std::array<std::uint64_t, 3> words;
    };
    value() : words{} {}
};

/// pmix_info_t
struct info {
    std::array<char, 512> key{};
    std::uint32_t flags = 0;
    pmix::value value;
};

inline constexpr std::uint8_t to_all = 3; // PMIX_GLOBAL
inline constexpr const char* collect_data = "pmix.collect";

using on_done = void (*)(status, void* own);
using on_value = void (*)(status, value* found, void* own);

struct library {
    status (*init)(process* self, info*, std::size_t);
    status (*finalize)(const info*, std::size_t);
    status (*put)(std::uint8_t scope, const char* key, value*);
    status (*commit)();
    status (*fence)(const process*, std::size_t, const info*, std::size_t, on_done, void* own);
    status (*get)(const process*, const char* key, const info*, std::size_t, on_value, void* own);
    const char* (*words_of)(status);

    /// Throws a bootstrap error where the library cannot be loaded.
    TUTTI_COLD [[nodiscard]] static library load() {
        void* const from = ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
        if (!from) {
            const char* const why = ::dlerror();
            refuse(why ? why : "it does not say why");
        }
        library all{};
        find(from, "PMIx_Init", all.init);
        find(from, "PMIx_Finalize", all.finalize);
        find(from, "PMIx_Put", all.put);
        find(from, "PMIx_Commit", all.commit);
        find(from, "PMIx_Fence_nb", all.fence);
        find(from, "PMIx_Get_nb", all.get);
        find(from, "PMIx_Error_string", all.words_of);
        return all;
    }

private:
    [[noreturn]] static void refuse(const std::string& why) {
        bootstrap_failed("the launcher speaks PMIx, and its library cannot be loaded: " + why,
                         "install libpmix2 or put its folder into LD_LIBRARY_PATH; else set TUTTI_ADDRESS (rank 0's "
                         "host:port) and TUTTI_SECRET_FILE on every rank");
    }
    template <class Function>
    static void find(void* from, const char* name, Function& out) {
        out = reinterpret_cast<Function>(::dlsym(from, name));
        if (!out) refuse(std::string("libpmix.so.2 has no ") + name);
    }
};

} // namespace tutti::transport::bootstrap::detail::pmix
