// SPDX-License-Identifier: GPL-2.0-only
/// The domain in which all messages of a run flow as fluids: from posts to rates, ends, records and
/// reports.
///
/// A message begins as with packets: at its start, when its connection has its turn, on the paths
/// of its ports. Each of its flows is a fluid of all its bytes, headers included
/// (transport/model/fluid/fluid_network.h). The last byte arrives FluidTimes::after later than it
/// leaves the narrowest link, the ACK FluidTimes::back after that; both wait at ports for packets
/// of others (FluidNetwork::WaitAt). So a lone message takes what it takes with packets.
///
/// All fluids are in one domain, as any of them may share a link with any other. It runs on rank 0
/// one FluidRun::lag behind the hosts' domains, which have posted by then all that starts.
/// Invariant: what it does at a time follows from what starts and ends then, not from the order of
/// messages; so results do not depend on ranks or domains.
/// Failures: fluid_failures.cc.
/// Congestion control: transport/model/fluid/fluid_control.h. Not modelled: pauses and losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/memory_account.h"
#include "core/events/domain.h"
#include "core/traffic/source_ports.h"
#include "transport/model/fluid/fluid_control.h"
#include "transport/model/fluid/fluid_network.h"
#include "transport/model/nic/lasting_connections.h"
#include "transport/model/record/flow_ledger.h"
#include "transport/run/flow/fluid_messages.h"
#include "transport/run/flow/fluid_paths.h"
#include "transport/run/flow/fluid_post.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

class FluidDomain final : public Domain {
 public:
  /// What crossed a direction of a cable, when all that crosses it has ended.
  struct Carried {
    std::int64_t bytes = 0, packets = 0;  ///< data with headers, and ACKs

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& bytes& packets;
    }
  };

  /// `run` must outlive the domain.
  explicit FluidDomain(const FluidRun* run);

  void RunUntil(Time end) override;

  /// Time of the last event, or of the last ACK that is known.
  Time now() const { return last_; }
  DomainBooks books() const {
    DomainBooks books = books_;
    if (control_) books.marked = control_->marked();
    return books;
  }
  FlowLedger& ledger() { return ledger_; }
  const FlowLedger& ledger() const { return ledger_; }
  const FluidNetwork& network() const { return network_; }
  const FluidPaths& paths() const { return paths_; }
  /// Null if senders do not heed congestion.
  const FluidControl* control() const { return control_ ? &*control_ : nullptr; }
  /// Payload of the flows that wait for a path.
  std::int64_t stranded_bytes() const;
  /// By link number (FluidPaths).
  const std::vector<Carried>& carried() const { return carried_; }
  /// Adds a row for each flow that has not ended, or will come.
  void AddOpen(std::vector<FlowRecord>* open) const;
  void AddMemory(MemoryAccount* account) const;

  // For checkpoints, at a cut. What is loaded is checked: ExpectState().
  void Save(StateWriter* to) const;
  void Load(StateReader* from);

 private:
  /// A host's counters.
  struct Host {
    std::uint32_t next_flow = 0, next_message = 0;
    SourcePorts ports;
  };

  /// A flow whose fluid has left the narrowest link.
  struct FlowEnd {
    std::uint32_t flow = 0;
    Time received, acked;  ///< of its last byte
    Time ideal;            ///< from its start to the last ACK, if it were alone
  };

  void RunAt(Time now);
  /// Asks for a turn at the first start or end, if there is none so early.
  void ScheduleTurn();
  void TakePost(std::uint32_t slot);
  /// Starts a message that is due, unless its connection keeps it.
  void Start(FluidStarts::Item item);
  void StartMessage(const FlowPost& flow);
  void StartFlow(const FluidFlow& flow);
  /// The slot of a flow's path: that of its lasting connection, or a new one.
  std::uint32_t PathOf(const FluidFlow& flow);
  FluidPath FindPath(const FluidFlow& flow) const;
  std::uint32_t AddPath(FluidPath path);
  void EndFlows(Time now);
  FlowEnd EndOf(std::uint32_t flow);
  void End(const FlowEnd& end);
  Time WaitThere(std::uint32_t flow) const;
  Time WaitBack(const FluidPath& path) const;
  FlowRecord RowOf(const FluidFlow& flow) const;
  /// Counts packets of a flow at the ports of a path, up to this number of them.
  void Carry(const FluidPath& path, const FluidFlow& flow, std::int64_t packets);
  /// All flows of a message have ended.
  void Close(std::uint32_t message);
  void Report(NodeId to, std::uint32_t kind, const FluidReport& report);

  // fluid_failures.cc
  /// A flow without a path, and what it has left.
  struct Stranded {
    FluidFlow flow;
    FluidVolume left = 0;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& flow& left;
    }
  };
  /// Failures and new routes that are due by `now`, which is the time of the first unless nothing
  /// flowed then.
  void ApplyInstants(Time now);
  void ApplyInstant(std::size_t number, Time now);
  void SetLinkRates(const FaultInstant& instant);
  bool Concerns(const FaultInstant& instant, const FluidFlow& flow) const;
  void Move(std::uint32_t flow, Time now);
  /// Returns its number in the network; FluidNetwork::kNone if it waits.
  std::uint32_t Join(const FluidFlow& flow, FluidVolume left, Time now);
  void FixIdeal(FluidFlow* flow);
  void CarrySent(FluidFlow* flow, FluidVolume left);
  void ForgetIdlePaths();

  template <class Archive>
  void SerializeState(Archive& archive);
  /// Brings links and routes to the state of the instants that were applied.
  void RedoInstants();
  /// Paths of loaded flows; those of other connections are found when they are needed.
  void FindPathsAgain();
  // Of what was loaded: throw UserError "the saved state has ...".
  void CheckLoaded() const;
  void CheckPost(const FlowPost& post) const;
  void CheckWaiting(LastingConnections::Claims* turns) const;

  const FluidRun& run_;
  FluidPaths paths_;
  FluidNetwork network_;
  std::optional<FluidControl> control_;
  Time now_;                 ///< one lag before the engine's
  Time last_;                ///< event or ACK
  std::vector<Time> turns_;  ///< times of its pending turns, the next one last
  FluidStarts starts_;
  std::vector<Host> hosts_;  ///< by node
  LastingConnections connections_;
  std::vector<std::uint32_t> lasting_paths_;  ///< by connection and queue pair
  std::vector<FluidPath> known_paths_;        ///< by slot
  std::vector<std::uint32_t> free_paths_;
  std::vector<FluidMessage> messages_;  ///< by slot
  std::vector<std::uint32_t> free_messages_;
  std::vector<FluidFlow> flows_;    ///< by number in network_
  std::vector<Stranded> stranded_;  ///< in the order in which they lost their paths
  std::size_t next_instant_ = 0;    ///< of FluidRun::instants
  std::vector<FlowEnd> ends_;       ///< of one time
  std::vector<Carried> carried_;    ///< by link
  DomainBooks books_;
  FlowLedger ledger_;
};

}  // namespace heddle
