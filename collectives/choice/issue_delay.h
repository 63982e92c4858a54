// SPDX-License-Identifier: GPL-2.0-only
/// Delay of a message from when it may be sent to when its queue pair starts.
///
/// SimAI (NcclTreeFlowModel.cc, insert_packets): 10 ns for the hand-over, 30 ns more if data was
/// reduced (in AllReduce only if the number of channels is odd), then AS_SEND_LAT; 1.7 has a table
/// in its place (simai_latency.h). NCCL (the
/// description of SimAI's communication stack, section 2.5): a base latency at the start of a
/// collective and a hardware latency for each message, by algorithm, protocol and kind of link; or
/// what its kernels need on the hardware of the fabric (kernel_times.h).
/// What hardware answers by itself (GroupFlow::answers) waits for the hand-over only.
#pragma once

#include <cstdint>

#include "collectives/choice/collective_options.h"
#include "collectives/choice/kernel_times.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/schedule.h"
#include "core/base/units.h"

namespace heddle {

class IssueDelay {
 public:
  /// Copies what it needs: `options` may change afterwards.
  explicit IssueDelay(const CollectiveOptions& options);

  /// Returns the delay of a message from when it may be sent to when its queue pair starts.
  Time Of(const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupFlow& flow,
          const MessagePlace& place) const;
  /// Returns the time from when a rank takes part to the earliest time at which a message is sent,
  /// however early it may be otherwise.
  Time Earliest(const AlgorithmChoice& choice, const GroupFlow& flow,
                const MessagePlace& place) const {
    const bool asks = flow.connection == Connection::kNvlsRequest && !flow.answers;
    const bool climbs =
        flow.connection == Connection::kTreeUp && choice.algorithm == Algorithm::kTree;
    return by_hardware_ && (asks || climbs) ? kernels_.PieceStart(choice, flow, place) : Time{};
  }
  /// Returns what the first messages of a source wait more than others. `channels`: of the
  /// schedule.
  Time Base(const AlgorithmChoice& choice, std::uint32_t channels) const;
  /// Returns the portion before the software hands the message to the network.
  Time HandOver(const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupFlow& flow,
                std::uint32_t channels) const;
  /// Least delay of any message of software; > 0.
  Time least() const;

 private:
  CollectiveOptions options_;
  KernelTimes kernels_;
  bool by_simai_table_, by_send_latency_, by_hardware_;  ///< of options_, which are words
};

}  // namespace heddle
