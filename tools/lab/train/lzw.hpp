// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The format of the Unix program `compress` (file names in .Z): LZW codes of 9 bits and more, lowest bits first.
namespace tutti::tools {

namespace detail {

/// Codes of the current width. Whenever the width changes, the rest of a group of eight codes is left out.
class lzw_codes {
public:
    explicit lzw_codes(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] std::optional<std::uint32_t> next(unsigned width) {
        if (width != width_) change(width);
        if (bit_ + width > 8 * bytes_.size()) return std::nullopt;
        std::uint32_t code = 0;
        for (unsigned i = 0; i < width; ++i, ++bit_)
            code |= (static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[bit_ / 8])) >> (bit_ % 8) & 1) << i;
        return code;
    }
    /// Ends a group: what comes next begins one.
    void change(unsigned width) {
        const std::size_t group = 8 * std::size_t{width_};
        if (width_ != 0) bit_ = begin_ + (bit_ - begin_ + group - 1) / group * group;
        begin_ = bit_;
        width_ = width;
    }

private:
    std::string_view bytes_;
    std::size_t bit_ = 0;
    std::size_t begin_ = 0; // of the groups of this width, in bits
    unsigned width_ = 0;
};

} // namespace detail

/// What `compress` made smaller, or nothing if these bytes are not such a stream. A cut stream gives what is before the
/// cut: the format has no end mark. Never more than `most` bytes.
[[nodiscard]] inline std::optional<std::string> unpack_lzw(std::string_view packed, std::size_t most) {
    constexpr std::uint32_t clear = 256;
    if (packed.size() < 3 || packed.substr(0, 2) != "\x1f\x9d") return std::nullopt;
    const unsigned widest = packed[2] & 0x1f;
    const bool clears = (packed[2] & 0x80) != 0;
    if (widest < 9 || widest > 16) return std::nullopt;

    struct phrase {
        std::size_t begin, length; // in the text so far
    };
    std::vector<phrase> phrases; // of the codes from `first` on
    const std::uint32_t first = clears ? 257 : 256;
    std::string text;
    std::optional<phrase> last;
    detail::lzw_codes codes{packed.substr(3)};
    unsigned width = 9;
    while (const auto code = codes.next(width)) {
        if (clears && *code == clear) {
            codes.change(9); // the group ends, whether or not the width was 9
            width = 9;
            phrases.clear();
            last.reset();
            continue;
        }
        // The code that is about to be made: the last phrase and its own first byte.
        const bool being_made = last && *code == first + phrases.size() && phrases.size() + first < (1u << widest);
        const std::size_t begin = text.size();
        if (*code < 256) {
            text += static_cast<char>(*code);
        } else if (*code - first < phrases.size() || being_made) {
            const phrase from = being_made ? phrase{last->begin, last->length + 1} : phrases[*code - first];
            if (text.size() + from.length > most) return std::nullopt;
            for (std::size_t i = 0; i < from.length; ++i) text += text[from.begin + i]; // may overlap itself
        } else {
            return std::nullopt;
        }
        if (text.size() > most) return std::nullopt;
        if (last && first + phrases.size() < (1u << widest)) phrases.push_back({last->begin, last->length + 1});
        last = phrase{begin, text.size() - begin};
        if (first + phrases.size() >= (1u << width) && width < widest) ++width;
    }
    return text;
}

} // namespace tutti::tools
