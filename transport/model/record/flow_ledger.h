// SPDX-License-Identifier: GPL-2.0-only
/// Records of a domain: flows that ended or arrived, losses, origins of pauses; and the digest and
/// statistics of all flows, with or without a record.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/state_count.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/record/flow_sample.h"
#include "transport/model/record/flow_statistics.h"

namespace heddle {

/// Sums of pauses by the egress port where congestion began.
class PauseCauses {
 public:
  /// Adds a pause of this length to the sums of the egress port that caused it; `depth`: number of
  /// pausing switches between that port and the pause.
  void Add(NodeId node, PortId port, std::uint32_t depth, Time length);
  /// Returns the sums, one record a port, in order of first occurrence.
  const std::vector<PauseCauseRecord>& records() const { return records_; }
  /// Adds its allocated bytes to `account`.
  void AddMemory(MemoryAccount* account) const;
  /// Checks loaded records. `nodes`: number of nodes of the graph. Throws UserError "the saved
  /// state has ...".
  void Check(std::uint32_t nodes) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& records_& index_;
  }

 private:
  std::vector<PauseCauseRecord> records_;
  FlatMap index_;  ///< by node and port
};

class FlowLedger {
 public:
  /// Keeps `sample`, which selects the finished flows whose rows are kept. It must outlive the
  /// ledger, and may change before the first entry only.
  explicit FlowLedger(const FlowSample* sample) : sample_(sample) {}

  /// Adds a flow that ended here, at its sender. Failed flows are always kept.
  void AddFlow(const FlowRecord& flow);
  /// Adds a flow whose last byte arrived here.
  void AddArrival(const FlowArrival& arrival);
  /// Counts one packet lost at a port of this domain.
  void AddDrop(NodeId node, PortId port, DropReason reason);
  PauseCauses& pause_causes() { return pause_causes_; }              ///< by the port at fault
  const PauseCauses& pause_causes() const { return pause_causes_; }  ///< by the port at fault

  /// Returns the digest of the flows that ended and arrived, in any order, kept or not.
  std::uint64_t digest() const { return digest_; }
  /// Returns the statistics of the flows that finished, kept or not.
  const FlowStatistics& statistics() const { return statistics_; }
  /// Returns the finished flows that the sample keeps, and all that failed.
  const std::vector<FlowRecord>& finished() const { return finished_; }
  /// Returns the arrivals of the flows that the sample keeps.
  const std::vector<FlowArrival>& arrivals() const { return arrivals_; }
  const std::vector<DropRecord>& drops() const { return drops_; }  ///< one record a port and reason
  /// Empties the lists of flows and arrivals. Digest and statistics remain, and memory for as many
  /// entries again.
  void Drop();

  /// Adds the bytes of records, statistics and indices to `account`.
  void AddMemory(MemoryAccount* account) const;
  /// Checks a loaded ledger. Throws UserError "the saved state has ...". `nodes`: number of nodes
  /// of the graph. is_host(node): whether a node of this domain ends flows; is_here(node): whether
  /// a node is in this domain.
  template <class IsHost, class IsHere>
  void Check(std::uint32_t nodes, const IsHost& is_host, const IsHere& is_here) const {
    for (const FlowRecord& flow : finished_) {
      ExpectState(is_host(flow.flow.source) && flow.destination.value < nodes,
                  "a flow of another domain among those that have ended");
    }
    for (const DropRecord& drop : drops_)
      ExpectState(is_here(drop.node), "losses of another domain");
    CheckIndices(nodes);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& finished_& arrivals_& drops_& drop_index_& pause_causes_& digest_& statistics_;
  }

 private:
  /// Checks that loaded indices point to records. Throws UserError.
  void CheckIndices(std::uint32_t nodes) const;

  const FlowSample* sample_;
  std::vector<FlowRecord> finished_;  ///< kept flows, and all that failed
  std::vector<FlowArrival> arrivals_;
  std::vector<DropRecord> drops_;
  FlatMap drop_index_;  ///< by node, port and reason
  PauseCauses pause_causes_;
  std::uint64_t digest_ = 0;
  FlowStatistics statistics_;
};

}  // namespace heddle
