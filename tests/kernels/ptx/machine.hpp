// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/reduce/execution.hpp"
#include "program.hpp"

#include <collectives/reduction/narrow_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

/// Runs PTX on the host, a thread after the other from barrier to barrier. Each access of global memory must lie in
/// memory that the kernel was given, and be aligned. A NaN that an operation of floats makes has the form that a GPU
/// gives it, which is not the library's.
namespace tutti::test::ptx {

/// A type of PTX: 'f' float, 's' signed, 'u' unsigned or bits, 'p' predicate.
struct type {
    char kind;
    std::size_t bytes;
};
inline type type_of(const std::string& name) {
    if (name == "pred") return {'p', 1};
    const char kind = name[0] == 'b' ? 'u' : name[0];
    return {kind, std::stoul(name.substr(1)) / 8};
}

/// Calls use(T{}) with the C++ type.
template <class Use>
auto with(type t, Use&& use) {
    if (t.kind == 'f') return t.bytes == 4 ? use(float{}) : use(double{});
    const bool is_signed = t.kind == 's';
    switch (t.bytes) {
    case 1: return is_signed ? use(std::int8_t{}) : use(std::uint8_t{});
    case 2: return is_signed ? use(std::int16_t{}) : use(std::uint16_t{});
    case 4: return is_signed ? use(std::int32_t{}) : use(std::uint32_t{});
    default: return is_signed ? use(std::int64_t{}) : use(std::uint64_t{});
    }
}

class machine {
public:
    /// Threads run in their order, or in the opposite one.
    explicit machine(bool backwards = false) noexcept : backwards_(backwards) {}

    /// Memory that kernels may use; of const elements, read.
    template <class T>
    void give(std::span<T> memory) {
        readable_.push_back(std::as_bytes(memory));
        if constexpr (!std::is_const_v<T>) writable_.push_back(std::as_bytes(memory));
    }

    template <class... Arguments>
    void launch(const kernel& k, kernels::geometry shape, const Arguments&... arguments) {
        std::vector<std::vector<std::byte>> blobs;
        (blobs.push_back(blob_of(arguments)), ...);
        if (blobs.size() != k.parameter_bytes.size()) throw std::runtime_error("the kernel has other parameters");
        for (std::size_t p = 0; p < blobs.size(); ++p)
            if (blobs[p].size() != k.parameter_bytes[p])
                throw std::runtime_error("parameter " + std::to_string(p) + " has " + std::to_string(blobs[p].size()) +
                                         " bytes here and " + std::to_string(k.parameter_bytes[p]) + " for nvcc");
        for (unsigned b = 0; b < shape.blocks; ++b) run_block(k, shape, b, blobs);
    }

private:
    struct thread {
        std::vector<std::uint64_t> places;
        std::size_t at = 0;
        unsigned number = 0;
        bool over = false;
    };
    struct block {
        const kernel& code;
        kernels::geometry shape;
        unsigned number;
        std::vector<std::vector<std::byte>>& parameters;
        std::vector<std::byte> shared;
    };

    template <class T>
    static std::vector<std::byte> blob_of(const T& x) {
        const auto bytes = std::as_bytes(std::span(&x, 1));
        return {bytes.begin(), bytes.end()};
    }

    void run_block(const kernel& k, kernels::geometry shape, unsigned number,
                   std::vector<std::vector<std::byte>>& blobs) {
        block b{k, shape, number, blobs, std::vector<std::byte>(k.shared_bytes, std::byte{0xa5})};
        std::vector<thread> threads(shape.threads);
        for (unsigned t = 0; t < shape.threads; ++t) {
            threads[t].number = t;
            threads[t].places.assign(k.registers, 0xa5a5a5a5a5a5a5a5);
        }
        for (bool any = true; any;) {
            any = false;
            for (std::size_t n = 0; n < threads.size(); ++n) {
                thread& t = threads[backwards_ ? threads.size() - 1 - n : n];
                run_to_barrier(b, t);
                any = any || !t.over;
            }
            for (const thread& t : threads)
                if (t.over == any)
                    throw std::runtime_error("some threads of a block wait at a barrier and some do not");
        }
    }

    void run_to_barrier(block& b, thread& t) {
        for (long long steps = 0; !t.over; ++steps) {
            if (steps > 50'000'000) throw std::runtime_error("a kernel does not end");
            const instruction& i = b.code.body.at(t.at++);
            if (i.guard >= 0 && (t.places[static_cast<std::size_t>(i.guard)] != 0) == i.if_not) continue;
            if (i.code[0] == "ret") t.over = true;
            if (i.code[0] == "bar") return;
            if (i.code[0] == "bra") t.at = b.code.labels.at(i.operands[0].name);
            if (i.code[0] == "ret" || i.code[0] == "bra") continue;
            try {
                execute(b, t, i);
            } catch (const std::exception& e) {
                throw std::runtime_error(i.text + ": " + e.what());
            }
        }
    }

    void execute(block& b, thread& t, const instruction& i) {
        const std::string& what = i.code[0];
        if (what == "ld" || what == "st") return access(b, t, i);
        if (what == "mov" || what == "cvta") return move(b, t, i);
        if (what == "setp") return compare(b, t, i);
        if (what == "cvt") return convert(b, t, i);
        if (what == "prmt") return permute(b, t, i);
        const type of = type_of(i.code.back());
        if (what == "selp")
            return set(t, i.operands[0], bits(b, t, i.operands[bits(b, t, i.operands[3]) != 0 ? 1 : 2]), of);
        if (of.kind == 'p') return logic(b, t, i, of);
        with(of, [&]<class T>(T) {
            if constexpr (std::is_floating_point_v<T>)
                floating<T>(b, t, i);
            else
                integral<T>(b, t, i);
        });
    }

    // Operands.

    std::uint64_t bits(block& b, const thread& t, const operand& o) const {
        switch (o.what) {
        case operand::kind::number: return o.bits;
        case operand::kind::place: return t.places[o.place];
        case operand::kind::special:
            if (o.name == "%tid.x") return t.number;
            if (o.name == "%ntid.x") return b.shape.threads;
            if (o.name == "%ctaid.x") return b.number;
            if (o.name == "%nctaid.x") return b.shape.blocks;
            throw std::runtime_error("unknown register");
        case operand::kind::symbol: return address_of(b, o.name);
        default: throw std::runtime_error("not a value");
        }
    }
    static std::uint64_t address_of(block& b, const std::string& symbol) {
        if (const auto p = b.code.parameters.find(symbol); p != b.code.parameters.end())
            return reinterpret_cast<std::uint64_t>(b.parameters[p->second].data());
        return b.code.shared.at(symbol); // in the memory of the block, which has addresses of its own
    }
    template <class T>
    T value(block& b, const thread& t, const operand& o) const {
        T x;
        const std::uint64_t all = bits(b, t, o);
        std::memcpy(&x, &all, sizeof x);
        return x;
    }
    static void set(thread& t, const operand& to, std::uint64_t bits, type of) {
        t.places[to.place] = of.bytes < 8 ? bits & ((std::uint64_t{1} << 8 * of.bytes) - 1) : bits;
    }
    template <class T>
    static void set(thread& t, const operand& to, T x) {
        std::uint64_t all = 0;
        std::memcpy(&all, &x, sizeof x);
        t.places[to.place] = all;
    }

    // Memory.

    void access(block& b, thread& t, const instruction& i) {
        const bool loads = i.code[0] == "ld";
        const type of = type_of(i.code.back());
        const operand& memory = i.operands[loads ? 1 : 0];
        const operand& value = i.operands[loads ? 0 : 1];
        const std::vector<operand> alone{value};
        const auto& parts = value.what == operand::kind::several ? value.parts : alone;
        const std::uint64_t base = memory.by_register ? t.places[memory.place] : address_of(b, memory.name);
        const bool is_shared = i.code[1] == "shared";
        const std::uint64_t first =
            base + memory.bits + (is_shared ? reinterpret_cast<std::uint64_t>(b.shared.data()) : 0);
        check(b, i.code[1], loads, first, of.bytes * parts.size());
        for (std::size_t k = 0; k < parts.size(); ++k) {
            auto* const at = reinterpret_cast<std::byte*>(first + k * of.bytes);
            std::uint64_t all = loads ? 0 : bits(b, t, parts[k]);
            if (loads) {
                std::memcpy(&all, at, of.bytes);
                if (of.kind == 's' && of.bytes < 8 && (all >> (8 * of.bytes - 1) & 1) != 0)
                    all |= ~std::uint64_t{0} << 8 * of.bytes;
                t.places[parts[k].place] = all;
            } else {
                std::memcpy(at, &all, of.bytes);
            }
        }
    }
    void check(block& b, const std::string& space, bool loads, std::uint64_t at, std::size_t bytes) const {
        const auto holds = [&](std::span<const std::byte> memory) {
            const auto first = reinterpret_cast<std::uint64_t>(memory.data());
            return at >= first && at + bytes <= first + memory.size();
        };
        bool inside = false;
        if (space == "param")
            inside = std::any_of(b.parameters.begin(), b.parameters.end(), holds);
        else if (space == "shared")
            inside = holds(b.shared);
        else if (const auto& given = loads ? readable_ : writable_; space == "global")
            inside = std::any_of(given.begin(), given.end(), holds);
        if (!inside) throw std::runtime_error("it reaches memory that it was not given");
        if (at % bytes != 0)
            throw std::runtime_error("an access of " + std::to_string(bytes) + " bytes is not aligned");
    }

    void move(block& b, thread& t, const instruction& i) {
        const type of = type_of(i.code.back());
        const operand &to = i.operands[0], &from = i.operands[1];
        if (to.what == operand::kind::several) {
            const std::size_t bytes = of.bytes / to.parts.size();
            for (std::size_t k = 0; k < to.parts.size(); ++k)
                set(t, to.parts[k], bits(b, t, from) >> 8 * bytes * k, {'u', bytes});
        } else if (from.what == operand::kind::several) {
            const std::size_t bytes = of.bytes / from.parts.size();
            std::uint64_t all = 0;
            for (std::size_t k = 0; k < from.parts.size(); ++k)
                all |= (bits(b, t, from.parts[k]) & ((std::uint64_t{1} << 8 * bytes) - 1)) << 8 * bytes * k;
            set(t, to, all, of);
        } else {
            set(t, to, bits(b, t, from), of.kind == 'p' ? type{'u', 8} : of);
        }
    }

    // Arithmetic.

    void logic(block& b, thread& t, const instruction& i, type of) {
        const std::uint64_t x = bits(b, t, i.operands[1]);
        const std::uint64_t y = i.operands.size() > 2 ? bits(b, t, i.operands[2]) : 0;
        if (i.code[0] == "and") return set(t, i.operands[0], x & y, of);
        if (i.code[0] == "or") return set(t, i.operands[0], x | y, of);
        if (i.code[0] == "xor") return set(t, i.operands[0], x ^ y, of);
        if (i.code[0] == "not") return set(t, i.operands[0], std::uint64_t{x == 0}, of);
        throw std::runtime_error("not known");
    }

    template <class T>
    static T of_gpu(T x) {
        if constexpr (sizeof(T) == 4)
            if (x != x) return std::bit_cast<float>(0x7fffffffU);
        return x;
    }
    template <class T>
    void floating(block& b, thread& t, const instruction& i) {
        const std::string& what = i.code[0];
        const T x = value<T>(b, t, i.operands[1]);
        if (what == "neg") return set(t, i.operands[0], -x);
        if (what == "sqrt") return set(t, i.operands[0], of_gpu(std::sqrt(x)));
        const T y = value<T>(b, t, i.operands[2]);
        if (what == "add") return set(t, i.operands[0], of_gpu(x + y));
        if (what == "sub") return set(t, i.operands[0], of_gpu(x - y));
        if (what == "mul") return set(t, i.operands[0], of_gpu(x * y));
        if (what == "div") return set(t, i.operands[0], of_gpu(x / y));
        if (what == "fma") return set(t, i.operands[0], of_gpu(std::fma(x, y, value<T>(b, t, i.operands[3]))));
        throw std::runtime_error("not known");
    }

    template <class T>
    void integral(block& b, thread& t, const instruction& i) {
        using wraps = std::uint64_t;
        const std::string& what = i.code[0];
        const operand& to = i.operands[0];
        const T x = value<T>(b, t, i.operands[1]);
        const auto put = [&](auto result) { set(t, to, static_cast<T>(result)); };
        if (what == "neg") return put(wraps{0} - static_cast<wraps>(x));
        if (what == "not") return put(~static_cast<wraps>(x));
        const T y = value<T>(b, t, i.operands[2]);
        const std::uint32_t distance = value<std::uint32_t>(b, t, i.operands[2]);
        constexpr std::uint32_t width = 8 * sizeof(T);
        if (what == "shl") return put(distance >= width ? 0 : static_cast<wraps>(x) << distance);
        if (what == "shr")
            return put(distance < width ? static_cast<T>(x >> distance) : static_cast<T>(x < 0 ? -1 : 0));
        if (what == "and") return put(x & y);
        if (what == "or") return put(x | y);
        if (what == "xor") return put(x ^ y);
        if (what == "add") return put(static_cast<wraps>(x) + static_cast<wraps>(y));
        if (what == "sub") return put(static_cast<wraps>(x) - static_cast<wraps>(y));
        if (what == "min") return put(std::min(x, y));
        if (what == "max") return put(std::max(x, y));
        const wraps product = static_cast<wraps>(x) * static_cast<wraps>(y);
        if (what == "mul" && i.code[1] == "lo") return put(product);
        if (what == "mul" && i.code[1] == "wide" && sizeof(T) <= 4) return set(t, to, product, {'u', 2 * sizeof(T)});
        if (what == "mad" && i.code[1] == "lo") return put(product + bits(b, t, i.operands[3]));
        throw std::runtime_error("not known");
    }

    void compare(block& b, thread& t, const instruction& i) {
        const bool holds = with(type_of(i.code.back()), [&]<class T>(T) {
            return compared(i.code[1], value<T>(b, t, i.operands[1]), value<T>(b, t, i.operands[2]));
        });
        t.places[i.operands[0].place] = holds;
    }
    template <class T>
    static bool compared(std::string how, T x, T y) {
        const bool is_nan = x != x || y != y;
        if (how == "num") return !is_nan;
        if (how == "nan") return is_nan;
        if (how.size() == 3 && how.back() == 'u') { // or unordered
            if (is_nan) return true;
            how.pop_back();
        }
        if (is_nan) return false;
        if (how == "eq") return x == y;
        if (how == "ne") return x != y;
        if (how == "lt") return x < y;
        if (how == "le") return x <= y;
        if (how == "gt") return x > y;
        if (how == "ge") return x >= y;
        throw std::runtime_error("a comparison that is not known");
    }

    void convert(block& b, thread& t, const instruction& i) {
        const std::string &to = i.code[i.code.size() - 2], &from = i.code.back();
        const operand &target = i.operands[0], &source = i.operands[1];
        if (from == "f16" && to == "f32") {
            return set(t, target, of_gpu(float(float16::from_bits(value<std::uint16_t>(b, t, source)))));
        } else if (from == "f32" && to == "f16") {
            const float x = value<float>(b, t, source);
            return set(t, target, x != x ? std::uint16_t{0x7fff} : float16(x).bits);
        }
        with(type_of(from), [&]<class S>(S) {
            const S x = value<S>(b, t, source);
            with(type_of(to), [&]<class D>(D) {
                if constexpr (std::is_floating_point_v<S> == std::is_floating_point_v<D>)
                    set(t, target, static_cast<D>(x));
                else
                    throw std::runtime_error("not known");
            });
        });
        if (to == "f32") set(t, target, of_gpu(value<float>(b, t, target)));
    }

    void permute(block& b, thread& t, const instruction& i) {
        const std::uint64_t both = (bits(b, t, i.operands[1]) & 0xffffffffU) | bits(b, t, i.operands[2]) << 32;
        const std::uint64_t order = bits(b, t, i.operands[3]);
        std::uint64_t made = 0;
        for (unsigned k = 0; k < 4; ++k) {
            const std::uint64_t choice = order >> 4 * k & 15;
            std::uint64_t byte = both >> 8 * (choice & 7) & 255;
            if ((choice & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
            made |= byte << 8 * k;
        }
        set(t, i.operands[0], made, {'u', 4});
    }

    std::vector<std::span<const std::byte>> readable_, writable_;
    bool backwards_;
};

} // namespace tutti::test::ptx
