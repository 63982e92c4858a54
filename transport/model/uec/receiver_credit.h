// SPDX-License-Identifier: GPL-2.0-only
/// RCCC at the sender: it sends against credit that the receiver gives out at its own rate.
///
/// Source: Ultra Ethernet Specification 1.0, from EQDS (Olteanu et al., "An edge-queued datagram
/// service for all datacenter traffic", NSDI 2022), in the form of uet-htsim. Both sides count from
/// the flow's start in quanta of 256 bytes: the sender what it asks for (pull target), the receiver
/// what it has given (pull number).
///   start: credit = 1.5 BDP, speculation; the first ACK, NACK or pull ends it: credit = min(0, .)
///   pull n above the last, n': credit = min(1.5 BDP, credit + 256 (n - n'))
///   a packet of p bytes: credit -= p; allowed while credit > 0, so the last may overdraw
///   want = min(backlog, [window + 1 packet], 1.5 BDP) - credit; while speculating and with new
///          data at least 1 packet; divided by the flows that wait at the NIC
///   pull target = ceil((256 n' + want) / 256)
/// Invariant: credit <= 1.5 BDP. Not modelled: credit in ACKs; 16-bit counters that wrap.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/containers/state_count.h"
#include "transport/model/uec/uec_options.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle {

constexpr std::int64_t kCreditQuantum = 256;  ///< bytes
/// Most quanta that a counter may show, far beyond any run's; the product with the quantum fits.
constexpr std::int64_t kMostQuanta = std::int64_t{1} << 50;

/// Returns the whole quanta that cover `bytes`, which may be negative: rounded up.
constexpr std::int64_t QuantaOver(std::int64_t bytes) {
  return bytes > 0 ? (bytes + kCreditQuantum - 1) / kCreditQuantum : -(-bytes / kCreditQuantum);
}

class ReceiverCredit final {
 public:
  struct State {
    std::int64_t credit = 0;  ///< [byte], may be negative by less than a packet
    std::int64_t pull = 0;    ///< the largest pull number that came [quantum]
    std::uint8_t speculating = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& credit& pull& speculating;
      if constexpr (Archive::is_loading::value) {
        ExpectState(pull >= 0 && pull <= kMostQuanta && credit <= kMostQuanta &&
                        credit >= -kMostQuanta && speculating <= 1,
                    "a sender's credit that is out of range");
      }
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  /// What a flow has left to send [byte on the wire].
  struct Backlog {
    std::int64_t fresh = 0;              ///< never sent
    std::int64_t retransmission = 0;     ///< queued to be sent again
    std::optional<std::int64_t> window;  ///< of NSCC, if it is used too
    std::int64_t waiting_flows = 1;      ///< that wait at the NIC
  };

  /// Takes the largest credit, 1.5 BDP, from `scale`.
  ReceiverCredit(const UecOptions& options, const UecScale& scale)
      : most_(scale.max_window), packet_(options.mtu) {}

  /// Starts with 1.5 BDP of speculative credit.
  void Start(State* state) const { *state = {most_, 0, 1}; }
  /// Ends speculation: the receiver has answered with an ACK, a NACK or a pull. Credit above 0 is
  /// lost.
  void EndSpeculation(State* state) const;
  /// Adds the credit of a pull, and ends speculation. An outdated pull adds nothing.
  void OnPull(State* state, std::int64_t pull) const;
  /// Whether a packet may leave, whatever its size: credit is above 0.
  bool MaySend(const State& state) const { return state.credit > 0; }
  /// Takes a packet of `bytes` on the wire off the credit.
  void OnSend(State* state, std::int64_t bytes) const { state->credit -= bytes; }
  /// Returns the pull target [quantum] of a packet about to leave. Its bytes are already taken off
  /// credit and backlog.
  std::int64_t PullTarget(const State& state, const Backlog& backlog) const;

 private:
  std::int64_t most_;    ///< 1.5 BDP
  std::int64_t packet_;  ///< a full one
};

}  // namespace heddle
