// SPDX-License-Identifier: GPL-2.0-only
/// What NCCL's kernels and proxies need for a message, besides its time on the links, on the
/// hardware of the fabric: collective.latency=hardware.
///
/// A message waits for a latency by protocol and kind of link, the first one of a collective for
/// the start of the kernels too. Then comes what kernels need for its bytes beyond what the links
/// need, so that a GPU sends no faster than its kernels do: of m messages of b bytes of data that
/// share a GPU's NVLinks
///
///     m b / rate - m w / links,   w: bytes on the wire
///
/// if that is above 0, with the rate of all channels of the protocol. NICs have a part of their
/// line rate in the place of the rate. A piece of NVLS takes a fixed time and its bytes at the rate
/// of a channel, or its part of what NVLS passes at most. docs/models/hardware.md has all of it.
#pragma once

#include <cstdint>

#include "collectives/choice/nccl_latency.h"
#include "collectives/hardware/hardware_figures.h"
#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/schedule.h"
#include "core/base/units.h"

namespace heddle {

/// Where a message is among those of its collective.
struct MessagePlace {
  PathKind path = PathKind::kNvLink;
  bool first = false;          ///< among the first that its source sends
  std::uint32_t channels = 1;  ///< of the schedule
  /// Messages of a source that share its NVLinks, and its NICs, at a time.
  double inside = 1, between = 1;
  std::int64_t buffer = 0;  ///< bytes of the collective
  std::uint32_t peer = 0;   ///< messages that its source sends by the same links at once, before it
};

/// Returns the place of a message of a schedule of so many channels.
MessagePlace PlaceOf(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                     const GroupShape& shape, const GroupFlow& flow, std::uint32_t channels,
                     PathKind path, bool first);

class KernelTimes {
 public:
  /// Copies its arguments.
  KernelTimes(const HardwareFigures& figures, const ChunkOptions& chunks)
      : figures_(figures), chunks_(chunks) {}

  /// Returns the time from when a message may be sent to when it leaves. Not for what hardware
  /// answers.
  Time Of(const AlgorithmChoice& choice, const GroupFlow& flow, const MessagePlace& place) const;
  /// Returns the time from the start of a rank's collective to the earliest time of a piece there:
  /// its channels pass one piece at a time. For the request of a head of NVLS, and for what goes up
  /// a tree.
  Time PieceStart(const AlgorithmChoice& choice, const GroupFlow& flow,
                  const MessagePlace& place) const;
  /// Returns what the first messages of a source wait more than others. `heads`: channels of the
  /// schedule, which are those of NVLS.
  Time Base(const AlgorithmChoice& choice, std::uint32_t heads) const;
  /// Least time of any message; > 0.
  Time least() const;

 private:
  /// Latency by protocol and kind of link [us].
  double Latency(const AlgorithmChoice& choice, PathKind path) const;
  /// Whether a message of several chunks has the links to itself: NCCL's channels send to one GPU
  /// after the other in AllToAll.
  bool InTurn(const AlgorithmChoice& choice, const GroupFlow& flow,
              const MessagePlace& place) const;
  /// What the messages before it then need [us].
  double OfTurns(const AlgorithmChoice& choice, const GroupFlow& flow,
                 const MessagePlace& place) const;
  /// What LL needs more for larger buffers [us]: NCCL gives small ones fewer channels and threads.
  double Growth(const AlgorithmChoice& choice, const MessagePlace& place) const;
  /// What its bytes need beyond what links need [us].
  double Rest(const AlgorithmChoice& choice, const GroupFlow& flow,
              const MessagePlace& place) const;
  /// What a GPU's NICs send at most of what other GPUs relay [byte/s]: by the bytes that proxies
  /// have posted at once.
  double RelayedRate() const;
  /// What the channel of a piece of NVLS needs for it at its head [us].
  double OfPiece(const AlgorithmChoice& choice, std::int64_t bytes) const;
  /// What lies between two pieces of a channel of NVLS [us].
  double BetweenPieces(const AlgorithmChoice& choice, std::int64_t bytes,
                       const MessagePlace& place) const;
  /// What the proxy that posts it needs, or the kernel that serves several peers [us].
  double OfProxy(const AlgorithmChoice& choice, const GroupFlow& flow,
                 const MessagePlace& place) const;

  HardwareFigures figures_;
  ChunkOptions chunks_;
};

}  // namespace heddle
