// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

/// PTX as nvcc writes it, taken apart: so much of the language as the kernels use.
namespace tutti::test::ptx {

struct operand {
    enum class kind { number, place, special, symbol, memory, several };
    kind what = kind::number;
    std::uint64_t bits = 0;     ///< of a number; the offset of memory
    std::size_t place = 0;      ///< of a register
    bool by_register = false;   ///< of memory: its base is a register
    std::string name;           ///< of a special register, a symbol, or memory's base
    std::vector<operand> parts; ///< of several
};

struct instruction {
    std::vector<std::string> code; ///< "ld.global.u32" is "ld", "global", "u32"
    std::vector<operand> operands;
    int guard = -1; ///< the register that says whether it is done; -1: always
    bool if_not = false;
    std::string text; ///< for errors
};

struct kernel {
    std::map<std::string, std::size_t> parameters; ///< their numbers
    std::vector<std::size_t> parameter_bytes;
    std::map<std::string, std::size_t> shared; ///< offsets in the memory of a block
    std::size_t shared_bytes = 0;
    std::map<std::string, std::size_t> labels; ///< the instruction that follows
    std::vector<instruction> body;
    std::size_t registers = 0;
};

namespace detail {

inline std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Splits at each `mark` that stands in no brackets.
inline std::vector<std::string> split(const std::string& text, char mark) {
    std::vector<std::string> all(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == mark && depth == 0)
            all.emplace_back();
        else
            all.back() += c;
    }
    for (std::string& s : all) s = trimmed(s);
    return all;
}

inline std::size_t bytes_of(const std::string& type) { return std::stoul(type.substr(1)) / 8; }

class parser {
public:
    std::map<std::string, kernel> all(std::string text) {
        text = std::regex_replace(text, std::regex("//[^\n]*"), "");
        std::map<std::string, kernel> kernels;
        const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\)[^{]*\{)");
        for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
            if ((*at)[1].str().starts_with("_Z")) continue;
            const auto begin = static_cast<std::size_t>(at->position() + at->length());
            kernels[(*at)[1]] = one((*at)[2], text.substr(begin, end_of_block(text, begin) - begin));
        }
        return kernels;
    }

private:
    static std::size_t end_of_block(const std::string& text, std::size_t at) {
        for (int depth = 1; at < text.size(); ++at) {
            depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
            if (depth == 0) return at;
        }
        throw std::runtime_error("a kernel does not end");
    }

    kernel one(const std::string& parameters, const std::string& body) {
        k_ = {};
        places_.clear();
        const std::regex parameter(R"(\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(\w+)(?:\[(\d+)\])?)");
        for (std::sregex_iterator at(parameters.begin(), parameters.end(), parameter), end; at != end; ++at) {
            k_.parameters[(*at)[2]] = k_.parameter_bytes.size();
            const std::size_t count = (*at)[3].matched ? std::stoul((*at)[3]) : 1;
            k_.parameter_bytes.push_back(count * bytes_of((*at)[1]));
        }
        for (const std::string& statement : statements(body)) take(statement);
        k_.registers = places_.size();
        return std::move(k_);
    }

    /// Scopes are dissolved: what they declare is used inside them only.
    static std::vector<std::string> statements(const std::string& body) {
        std::vector<std::string> all;
        std::string one;
        bool vector = false;
        for (const char c : body) {
            if (c == '{' && trimmed(one).empty()) continue;
            if (c == '}' && !vector) continue;
            vector = c == '{' || (vector && c != '}');
            if (c == ';')
                all.push_back(trimmed(one)), one.clear();
            else
                one += c;
        }
        return all;
    }

    void take(std::string text) {
        static const std::regex label(R"(^([$\w]+):\s*)");
        static const std::regex shared(R"(^\.shared\s+\.align\s+(\d+)\s+\.(\w+)\s+(\w+)\[(\d+)\])");
        for (std::smatch found; std::regex_search(text, found, label);) {
            k_.labels[found[1]] = k_.body.size();
            text = found.suffix();
        }
        if (std::smatch found; std::regex_search(text, found, shared)) {
            k_.shared[found[3]] = k_.shared_bytes;
            k_.shared_bytes += std::stoul(found[4]) * bytes_of(found[2]);
        }
        if (!text.empty() && text[0] != '.') k_.body.push_back(parsed(text));
    }

    instruction parsed(const std::string& text) {
        instruction i;
        i.text = text;
        std::string rest = text;
        if (rest[0] == '@') {
            i.if_not = rest[1] == '!';
            const auto end = rest.find_first_of(" \t");
            i.guard = static_cast<int>(place(rest.substr(i.if_not ? 2 : 1, end - (i.if_not ? 2 : 1))));
            rest = trimmed(rest.substr(end));
        }
        const auto end = rest.find_first_of(" \t");
        if (!is_known(rest.substr(0, end))) throw std::runtime_error("not known: " + text);
        i.code = split(rest.substr(0, end), '.');
        if (end != std::string::npos)
            for (const std::string& o : split(rest.substr(end), ',')) i.operands.push_back(operand_of(o));
        return i;
    }

    std::size_t place(const std::string& name) { return places_.try_emplace(name, places_.size()).first->second; }
    /// Instructions in each form that the machine knows: another rounding, or a modifier, is another instruction.
    static bool is_known(const std::string& code) {
        static const std::regex known(
            R"(ret|bra(\.uni)?|bar\.sync|mov\.([busf]\d+|pred)|cvta\.to\.global\.u64|prmt\.b32)"
            R"(|ld\.(param|global|shared)(\.v[24])?\.[busf]\d+|st\.(global|shared)(\.v[24])?\.[busf]\d+)"
            R"(|setp\.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan)\.[busf]\d+|selp\.[busf]\d+)"
            R"(|(and|or|xor|not)\.(b\d+|pred)|shl\.b\d+|shr\.[bus]\d+|(add|sub|min|max|neg)\.[us]\d+)"
            R"(|mul\.(lo|wide)\.[us]\d+|mad\.lo\.[us]\d+|(add|sub|mul|div|fma|sqrt)\.rn\.f(32|64)|neg\.f(32|64))"
            R"(|cvt\.[us]\d+\.[us]\d+|cvt\.f64\.f32|cvt\.rn\.f32\.f64|cvt\.f32\.f16|cvt\.rn\.f16\.f32)");
        static std::map<std::string, bool> asked;
        const auto [at, first] = asked.try_emplace(code);
        if (first) at->second = std::regex_match(code, known);
        return at->second;
    }
    [[nodiscard]] static bool is_register(const std::string& name) {
        return name[0] == '%' || name == "p"; // the predicate of the library's own assembler
    }

    operand operand_of(const std::string& text) {
        operand o;
        if (text[0] == '{') {
            o.what = operand::kind::several;
            for (const std::string& part : split(text.substr(1, text.size() - 2), ','))
                o.parts.push_back(operand_of(part));
        } else if (text[0] == '[') {
            memory(o, split(text.substr(1, text.size() - 2), '+'));
        } else if (text[0] == '%' && text.find('.') != std::string::npos) {
            o.what = operand::kind::special;
            o.name = text;
        } else if (is_register(text)) {
            o.what = operand::kind::place;
            o.place = place(text);
        } else if (text.starts_with("0f") || text.starts_with("0d")) {
            o.bits = std::stoull(text.substr(2), nullptr, 16);
        } else if (text[0] == '-') {
            o.bits = std::bit_cast<std::uint64_t>(std::stoll(text, nullptr, 0));
        } else if (text[0] >= '0' && text[0] <= '9') {
            o.bits = std::stoull(text, nullptr, 0);
        } else {
            o.what = operand::kind::symbol;
            o.name = text;
        }
        return o;
    }
    void memory(operand& o, const std::vector<std::string>& terms) {
        o.what = operand::kind::memory;
        o.by_register = is_register(terms[0]);
        o.name = terms[0];
        if (o.by_register) o.place = place(terms[0]);
        if (terms.size() > 1) o.bits = std::bit_cast<std::uint64_t>(std::stoll(terms[1], nullptr, 0));
    }

    kernel k_;
    std::map<std::string, std::size_t> places_;
};

} // namespace detail

/// The kernels of a PTX file, by name: those that are extern "C". Others are only compiled.
inline std::map<std::string, kernel> kernels_in(const std::string& text) { return detail::parser().all(text); }

} // namespace tutti::test::ptx
