// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// The cost of schedules: parameters, exact counts, closed forms, simulation, fit and choice. All times are in seconds.
namespace tutti::model {

/// The postal model with reduction: a message of m bytes takes alpha + m beta, and reducing m bytes m gamma. A rank
/// sends one message and receives one at a time. Source: Hockney, The communication challenge for MPP, Parallel
/// Computing 1994; Chan et al., CCPE 2007.
struct hockney {
    double alpha_s = 0;          ///< latency of a message
    double beta_s_per_byte = 0;  ///< the inverse of bandwidth
    double gamma_s_per_byte = 0; ///< to reduce one byte
    friend bool operator==(const hockney&, const hockney&) = default;
};

/// LogGP with reduction: a message of m bytes arrives L + 2o + (m - 1)G after its sender began with it; its sender may
/// begin with the next max(o, g + (m - 1)G) after that; reducing m bytes takes m gamma.
/// Source: Alexandrov, Ionescu, Schauser and Scheiman, LogGP, SPAA 1995.
struct loggp {
    double latency_s = 0;  ///< L: on the wire; -o at least: a message may be there before its sender is done with it
    double overhead_s = 0; ///< o: a processor's, at either end
    double gap_s = 0;      ///< g: at least, between two messages of one rank
    double gap_s_per_byte = 0;   ///< G: the inverse of bandwidth
    double gamma_s_per_byte = 0; ///< to reduce one byte
    /// O of LogGOPS: a processor's for each byte, at either end; where it is the processors that copy.
    /// Source: Hoefler, Schneider and Lumsdaine, LogGOPSim, LSAP 2010.
    double overhead_s_per_byte = 0;
    double copy_s_per_byte = 0; ///< for a step that copies within a rank's memory
    friend bool operator==(const loggp&, const loggp&) = default;
};

/// What is charged for a message of m bytes. Messages are always eager: no sender waits for a receiver, and what comes
/// before its receive is ready waits for it. Under LogGP the rules differ in what a receiver is charged once the header
/// has arrived, o + L after its sender began.
enum class receiver_rule : std::uint8_t {
    /// As LogGOPSim: the processor is busy for o + (m - 1)max(G, O), so that what it receives delays what it sends; but
    /// g is charged at the sender alone. Source: Hoefler, Schneider and Lumsdaine, LogGOPSim, LSAP 2010.
    serial,
    /// As network adapters do: the port takes the message in for (m - 1)G, one message after the other, whatever the
    /// processor does; then the processor is busy for o + (m - 1)O.
    full_duplex,
    /// As in Hockney's model: a message takes L + 2o + m max(G, O), which is alpha + m beta. So long it holds the port
    /// by which it leaves and, once its receive is ready, the one by which it comes. Processors only reduce and copy; g
    /// is not charged, and nothing is shared.
    hockney,
};

/// The bytes of a message behind its first, which the latency carries: an empty message takes no longer than one byte.
[[nodiscard]] constexpr double further_bytes(std::size_t bytes) noexcept {
    return bytes > 1 ? static_cast<double>(bytes - 1) : 0;
}

/// One message from the beginning of its send to the end of its receive: t(m) = L + 2o + (m - 1)G.
[[nodiscard]] constexpr double message_s(const loggp& p, std::size_t bytes) noexcept {
    return p.latency_s + 2 * p.overhead_s + further_bytes(bytes) * p.gap_s_per_byte;
}
/// One message under Hockney's model: t(m) = alpha + m beta.
[[nodiscard]] constexpr double message_s(const hockney& p, std::size_t bytes) noexcept {
    return p.alpha_s + static_cast<double>(bytes) * p.beta_s_per_byte;
}

} // namespace tutti::model
