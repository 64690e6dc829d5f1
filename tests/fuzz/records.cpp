// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The records of the control connection and of encrypted data, which somebody on the way cuts anywhere, and changes.
// The texts are those of the input; so are the pieces in which they come, and the byte that is changed.
//
// Invariants: unchanged, all texts come, in order; changed, only what stands before the changed record comes, and the
// rest is found to be forged or to be still incomplete; bytes of no sense are never taken for a record.

#include <transport/control/control_frames.hpp>
#include <transport/fabrics/tcp/encrypted_record.hpp>

#include "../support/sealed.hpp"
#include "input.hpp"

#include <vector>

using namespace tutti::transport;
using namespace tutti::fuzz;
namespace test = tutti::test;

namespace {

using bytes = std::vector<std::byte>;

constexpr bootstrap::digest key{std::byte{7}};

/// The control connection's.
struct control_records {
    bootstrap::frame_sealer sealer{key};
    bootstrap::frame_opener opener{key};

    void seal(const bytes& text, bytes& wire) {
        const auto records = test::sealed(sealer, text);
        wire.insert(wire.end(), records.begin(), records.end());
    }
    bool open(const bytes& piece, bytes& out) {
        opener.feed(piece);
        opener.open([&](std::span<const std::byte> text) { out.insert(out.end(), text.begin(), text.end()); });
        return !opener.forged();
    }
};

/// Those of encrypted data.
struct data_records {
    detail::tcp::record_sealer sealer{key};
    detail::tcp::record_opener opener{key};
    bytes begun;

    void seal(const bytes& text, bytes& wire) {
        const std::array<std::span<const std::byte>, 1> whole{text};
        for (std::size_t done = 0; done < text.size();) done += sealer.seal(whole, done, wire);
    }
    bool open(const bytes& piece, bytes& out) {
        begun.insert(begun.end(), piece.begin(), piece.end());
        const auto taken = opener.open(
            begun, [&](std::span<const std::byte> text) { out.insert(out.end(), text.begin(), text.end()); });
        if (taken) begun.erase(begun.begin(), begun.begin() + static_cast<std::ptrdiff_t>(*taken));
        return taken.has_value();
    }
};

template <class Records>
void carry(input& in) {
    Records records;
    const std::byte mask{in.number<std::uint8_t>()};
    const std::size_t changed = in.below(2000);
    const bool senseless = in.below(16) == 0;
    bytes texts, wire;
    std::size_t whole = 0; // bytes of text in records that end before the changed byte
    for (std::size_t i = 0, n = in.below(8); i < n && !senseless; ++i) {
        const auto some = in.bytes(1 + in.below(300));
        records.seal({some.begin(), some.end()}, wire);
        texts.insert(texts.end(), some.begin(), some.end());
        if (wire.size() <= changed) whole = texts.size();
    }
    if (senseless) {
        const auto garbage = in.bytes(1000);
        wire.assign(garbage.begin(), garbage.end());
    }
    const bool tampered = !senseless && mask != std::byte{0} && changed < wire.size();
    if (tampered) wire[changed] ^= mask;
    bytes out;
    bool sound = true;
    for (std::size_t at = 0; at < wire.size() && sound;) {
        const std::size_t n = std::min(wire.size() - at, 1 + in.below(200));
        sound = records.open(
            {wire.begin() + static_cast<std::ptrdiff_t>(at), wire.begin() + static_cast<std::ptrdiff_t>(at + n)}, out);
        at += n;
    }
    if (senseless) return demand(out.empty(), "nothing comes of bytes of no sense");
    if (!tampered) return demand(sound && out == texts, "all texts come");
    texts.resize(whole);
    demand(out == texts, "what comes stands before the changed record");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    input in(data, size);
    if (in.flag())
        carry<control_records>(in);
    else
        carry<data_records>(in);
    return 0;
}
