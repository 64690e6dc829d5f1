// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Every kernel in every width, compared bit for bit with the host. TUTTI_PART says which element types: one program for
// all would be compiled for minutes.
#include "device.hpp"
#include "told.hpp"

#include "kernels/host_launch.hpp"
#include "kernels/instantiated.hpp"

#include <kernels/reduce_many.cuh>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::gpu_check;

#if TUTTI_PART == 0
#define TUTTI_KERNELS(take) TUTTI_ARITHMETIC_KERNELS(take, float) TUTTI_ARITHMETIC_KERNELS(take, double)
#elif TUTTI_PART == 1
#define TUTTI_KERNELS(take) TUTTI_ARITHMETIC_KERNELS(take, float16) TUTTI_ARITHMETIC_KERNELS(take, bfloat16)
#elif TUTTI_PART == 2
#define TUTTI_KERNELS(take) TUTTI_ARITHMETIC_KERNELS(take, float8_e4m3) TUTTI_ARITHMETIC_KERNELS(take, float8_e5m2)
#elif TUTTI_PART == 3
#define TUTTI_KERNELS(take) TUTTI_INTEGER_KERNELS(take, int8_t) TUTTI_INTEGER_KERNELS(take, uint16_t)
#else
#define TUTTI_KERNELS(take) TUTTI_INTEGER_KERNELS(take, uint32_t) TUTTI_INTEGER_KERNELS(take, int64_t)
#endif

namespace {

constexpr std::size_t most = 20'000, margin = 16;

/// Any bits: NaN in every form, infinities, numbers below the normal ones.
template <class T>
std::vector<T> any_bits(std::size_t count, std::mt19937& random) {
    std::vector<T> all(count);
    auto* const bytes = reinterpret_cast<unsigned char*>(all.data());
    for (std::size_t i = 0; i < count * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random());
    return all;
}

template <class T, class Op>
struct arrays {
    std::vector<std::vector<T>> in;
    std::vector<device_array<T>> on_device;
    std::vector<T> poison;
    device_array<T> out{most + 2 * margin};

    explicit arrays(std::mt19937& random) : poison(any_bits<T>(most + 2 * margin, random)) {
        for (unsigned s = 0; s < kernels::most_sources; ++s) {
            in.push_back(any_bits<T>(most + 2 * margin, random));
            on_device.emplace_back(in.back());
        }
    }
    /// Whether that many elements from `offset` on come out as they should, and nothing beside them changes.
    bool agree(unsigned sources, std::size_t count, std::size_t offset) {
        test::reduction_to_same<T, Op> what, expected;
        what.sources = expected.sources = sources;
        what.count = expected.count = count;
        for (unsigned s = 0; s < sources; ++s) {
            what.from[s] = on_device[s].data() + offset;
            expected.from[s] = in[s].data() + offset;
        }
        out.set(poison);
        what.last.to[0] = out.data() + offset;
        must(kernels::launch(what, nullptr), "launch");
        must(cudaDeviceSynchronize(), "the kernel");
        auto host = poison;
        test::by_definition(host.data() + offset, expected);
        return test::same_bits(out.get(), host);
    }
};

template <class T, class Op>
void compare_all(const std::string& name) {
    std::mt19937 random{7};
    arrays<T, Op> all(random);
    std::string wrong;
    for (const unsigned sources : {1U, 2U, 3U, 4U, 5U, 8U})
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{17}, std::size_t{1000}, most})
            for (const std::size_t offset : {0, 1, 2, 3})
                if (!all.agree(sources, count, offset))
                    wrong += std::to_string(sources) + " sources, " + std::to_string(count) + " elements, offset " +
                             std::to_string(offset) + "; ";
    check(name, wrong.empty(), wrong);
}

#if TUTTI_PART == 0
/// Weights after three steps, and their copy of 16 bits.
template <class Step>
void compare_update(const std::string& name, const auto& step_of) {
    constexpr std::size_t count = 5001;
    std::mt19937 random{9};
    const auto numbers = [&]<class T>(T) {
        std::vector<T> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<T>(static_cast<float>(random() % 997) / 100));
        return all;
    };
    const std::vector gradients{numbers(bfloat16{}), numbers(bfloat16{})};
    const device_array<bfloat16> on_device[2] = {device_array(gradients[0]), device_array(gradients[1])};
    std::vector<float> state[3] = {numbers(float{}), numbers(float{}), numbers(float{})};
    std::vector<bfloat16> copy(count);
    device_array<float> device_state[3] = {device_array(state[0]), device_array(state[1]), device_array(state[2])};
    device_array<bfloat16> device_copy(count);
    for (unsigned i = 1; i <= 3; ++i) {
        const Step here = {{gradients[0].data(), gradients[1].data()},
                           2,
                           count,
                           {0.5F, step_of(i, state[0].data(), state[1].data(), state[2].data(), copy.data())}};
        test::launch_on_host(here, {4, 2});
        const Step there = {{on_device[0].data(), on_device[1].data()},
                            2,
                            count,
                            {0.5F, step_of(i, device_state[0].data(), device_state[1].data(), device_state[2].data(),
                                           device_copy.data())}};
        must(kernels::launch(there, nullptr), "launch");
    }
    must(cudaDeviceSynchronize(), "the kernels");
    bool same = test::same_bits(device_copy.get(), copy);
    for (unsigned k = 0; k < 3; ++k) same = same && test::same_bits(device_state[k].get(), state[k]);
    check(name, same);
}

void compare_updates() {
    using copied = kernels::stored<bfloat16>;
    compare_update<test::sgd_step>("update_sgd", [](unsigned, float* weights, float*, float*, bfloat16* copy) {
        return kernels::sgd<copied>{weights, 0.1F, 0.01F, {{copy}, 1}};
    });
    compare_update<test::momentum_step>(
        "update_momentum", [](unsigned, float* weights, float* first, float*, bfloat16* copy) {
            return kernels::momentum_sgd<copied>{weights, first, 0.1F, 0.9F, 0.01F, {{copy}, 1}};
        });
    compare_update<test::adam_update>(
        "update_adam", [](unsigned i, float* weights, float* first, float* second, bfloat16* copy) {
            return kernels::adam<copied>{weights, first, second, kernels::step_of({.decay = 0.1}, i), {{copy}, 1}};
        });
}
#endif

} // namespace

int main() {
    return run([] {
        using std::int64_t, std::uint16_t, std::uint32_t, std::int8_t;
#define TUTTI_COMPARE(type, op) compare_all<type, op##_operator>(#type "_" #op);
        TUTTI_KERNELS(TUTTI_COMPARE)
#if TUTTI_PART == 0
        compare_updates();
#endif
    });
}
