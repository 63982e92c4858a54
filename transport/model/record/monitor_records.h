// SPDX-License-Identifier: GPL-2.0-only
/// Records of the monitors: samples of queues, links, rates and notifications, at given intervals
/// or at every change.
///
/// A sample at time t includes all events up to t, t included. No event is scheduled for it: state
/// changes at events only. So a due sample is taken when the first later event comes, and equals
/// what a timer would have seen (sampler.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "transport/model/record/flow_records.h"

namespace heddle {

/// Sample of one queue of one port.
struct QueueSample {
  Time time;
  NodeId node;
  PortId port;
  std::uint8_t priority = 0;
  std::int64_t queued_bytes = 0;  ///< in this queue
  std::int64_t port_bytes = 0;    ///< in all queues of the port

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& time& node& port& priority& queued_bytes& port_bytes;
  }
};
/// Sample of one port.
struct LinkSample {
  Time time;
  NodeId node;
  PortId port;
  std::int64_t sent_bytes = 0;  ///< since the previous sample

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& time& node& port& sent_bytes;
  }
};
/// Sample of one queue pair; `value` is its rate [bit/s] or its number of CNPs so far.
struct PairSample {
  Time time;
  FlowId flow;
  NodeId destination;
  std::uint16_t source_port = 0, destination_port = 0;
  std::int64_t size = 0;
  std::int64_t value = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& time& flow& destination& source_port& destination_port& size& value;
  }
};

/// What a connection knows of one of its queue pairs when CAST has computed weights.
struct WeightSample {
  Time time;
  NodeId source, destination;
  std::uint32_t connection = 0;  ///< its name among those of the pair
  std::uint8_t priority = 0;
  std::uint16_t queue_pair = 0;
  double weight = 0;
  Time estimate;
  std::int64_t bytes = 0;  ///< given to it so far
};

/// Samples of a domain that have not been taken yet.
struct MonitorRecords {
  std::vector<QueueSample> queues;
  std::vector<LinkSample> links;
  std::vector<PairSample> rates, cnps;
  std::vector<PauseRecord> pauses;
  std::vector<WeightSample> weights;

  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return MemoryOf(queues) + MemoryOf(links) + MemoryOf(rates) + MemoryOf(cnps) +
           MemoryOf(pauses) + MemoryOf(weights);
  }
};

}  // namespace heddle
