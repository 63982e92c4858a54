// SPDX-License-Identifier: GPL-2.0-only
/// The seam for models of another grain: a backend carries a run's traffic, and the run knows no
/// more of it than this class. The packet fabric is one backend.
///
/// A backend gets its traffic from a driver, whose agents (one a domain) post it while the
/// simulation runs. Agents post flows; where a domain's FlowPoster offers a CollectiveCarrier, they
/// post whole collectives instead (core/traffic/flow_agent.h), and no flow exists.
///
/// Calls are virtual, but rare: one a run, a cut or a table. Packets and events stay inside the
/// backend's domains, which the engine runs (core/events/domain.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/table.h"
#include "core/base/units.h"
#include "core/checkpoint/checkpoint.h"
#include "core/engine/engine.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/flow_request.h"
#include "core/traffic/message_split.h"
#include "topology/routes/routes.h"
#include "transport/model/record/flow_records.h"
#include "transport/model/record/flow_sample.h"
#include "transport/model/record/taken_flows.h"
#include "transport/run/backends/backend_records.h"
#include "transport/run/fabric/traffic_end.h"

namespace heddle {

/// The part of the backend on one rank. Functions with a Communicator are collective.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // What every backend answers. Drive() comes once, before all others but CheckFlows() and
  // routes().

  /// Lets the driver's agents post traffic while the simulation runs. `driver` must outlive the
  /// backend.
  virtual void Drive(FlowDriver* driver) = 0;
  /// Whether it takes collectives whole, so that jobs have no messages.
  virtual bool carries_collectives() const = 0;
  /// Whether collectives of groups of one shape (servers, rails, switches) take equal times, so
  /// that one GPU may stand for others.
  virtual bool shapes_take_equal_times() const { return carries_collectives(); }
  /// Returns the routes with all links up.
  virtual const Routes& routes() const = 0;
  /// Whether times are measured on real machines, and not simulated.
  virtual bool measures() const { return false; }
  /// Describes the backend's settings. Whole lines.
  virtual std::string Describe() const = 0;

  // How it runs. A backend of domains has a post office and a lookahead; one without simulated
  // domains has its own Run() and needs none of the four below.

  /// Runs to the end of the traffic or to a limit of `setup`. The default fills in what the setup
  /// has of the backend, and runs its domains on an engine of this kind. Collective.
  virtual EngineReport Run(EngineKind kind, const Communicator& world, EngineSetup setup);
  /// Returns the exchange between domains. The default throws InvariantError.
  virtual PostOffice& post_office();
  /// Returns the least time from sending a message to its arrival at another domain. Known after
  /// Drive().
  virtual Time Lookahead() const { return Time::Max(); }
  /// Whether the post office is divided, and messages within a side take two lookaheads.
  virtual bool two_sides() const { return false; }
  /// Returns the ranks that this rank exchanges messages with, ascending. The relation is
  /// symmetric.
  virtual std::vector<RankId> NeighbourRanks() const { return {}; }
  /// Whether what repeats is not simulated again (docs/models/fast_forward.md).
  virtual bool replays() const { return false; }

  // Progress of this rank.

  /// Returns the number of domains on this rank.
  virtual std::uint32_t domains() const { return 0; }
  /// Returns the events of this rank so far, or what the backend counts instead.
  virtual std::uint64_t events() const { return 0; }
  /// Returns the time of the fabric's last event.
  virtual Time now() const { return {}; }
  /// Returns what this rank waits for, for the message of a run that is given up; empty: nothing to
  /// report.
  virtual std::string WaitsFor() const { return {}; }

  // Flows and packets. The defaults are those of a backend that has none.

  /// Throws UserError, naming the first flow of a trace that cannot be carried. The default refuses
  /// all.
  virtual void CheckFlows(const std::vector<FlowRequest>& flows) const;
  /// Returns how messages become rows of /flows.
  virtual MessageSplit split() const { return {}; }
  /// Sets which finished flows get a record of their own (default: all). The other flows are only
  /// in the statistics and the digest.
  virtual void RecordFlows(FlowSample /*sample*/) {}
  /// Returns the counts of packets, bytes and flows of this rank so far.
  virtual DomainBooks Books() const { return {}; }
  /// Returns the digest of all flows of this rank, finished or not, with or without a record. Its
  /// sum over ranks does not depend on the partition.
  virtual std::uint64_t flow_digest() const { return 0; }
  /// Estimates DomainBooks::received_bytes at the end of a trace with this payload.
  virtual std::int64_t ReceivedBytesOf(Bytes /*payload*/) const { return 0; }
  /// Turns on the counts that Streams() returns, which may take time. Call it before the engine
  /// runs.
  virtual void CountStreams() {}
  /// Returns the number of messages between domains, for senders of this rank, by sender and
  /// receiver, ascending.
  virtual std::vector<DomainStream> Streams() const { return {}; }

  /// Returns the books of all ranks, which must balance. At a cut only. Throws SharedError (exit
  /// code 5) with the figures.
  virtual DomainBooks CheckConservation(const Communicator& /*world*/) { return {}; }
  /// Checks what must hold when nothing is in flight. Throws SharedError (exit code 5).
  virtual void CheckEnd(const Communicator& /*world*/) const {}
  /// Describes a deadlock, at the root; empty if there is none.
  virtual std::string FindDeadlock(const Communicator& /*world*/) const { return {}; }

  // For the result (docs/formats/result.md) and the summary. The defaults are tables without rows.

  /// Returns this rank's records since the last DropFlows(). Valid until then or the next event.
  virtual std::vector<FlowLists> NewFlows() const { return {}; }
  /// Drops the records that NewFlows() returns; statistics and digest keep their flows.
  virtual void DropFlows() {}
  /// Returns this rank's flows that have not ended. At a cut only.
  virtual std::vector<FlowRecord> OpenFlows() const { return {}; }
  /// Returns records as rows of "flows", "recovery" and "arrivals", in their order.
  virtual std::vector<Table> FlowRows(const FlowRecords& records) const;
  /// Returns all ranks' records `mine` as the whole table "flows", at the root.
  virtual Table GatherFlows(const Communicator& world, const FlowRecords& mine) const;
  /// Takes this rank's samples of times before `end`, one table a monitor. At a cut only. `is_end`:
  /// nothing is sent any more; the last samples are taken at `end`, and all are returned.
  virtual std::vector<Table> TakeSamples(TrafficEnd /*end*/, bool /*is_end*/) { return {}; }
  /// Returns all other tables, at the root.
  virtual TotalTables GatherTotals(const Communicator& world) const;
  /// Returns what the group /run contains for this backend alone (docs/formats/result.md), at the
  /// root.
  virtual std::vector<RunFact> RunFacts() const { return {}; }
  /// Summarises what the run found besides flows, at the root. Whole lines.
  virtual std::string Summary() const { return {}; }
  /// Returns what was replayed, after Run(); none if nothing was to be replayed.
  virtual std::optional<ReplayOutcome> replayed() const { return std::nullopt; }

  // Before the run; memory also at any other time.

  /// Names flags by which long runs of collectives take far less time, and what they cost; empty:
  /// there are none.
  virtual std::string FasterWith() const { return {}; }

  /// Estimates the cost of carrying this traffic. The default is zero.
  virtual TrafficCost CostOf(const TrafficWalk& /*traffic*/) const { return {}; }
  /// Estimates an upper bound on the growth of its data structures.
  virtual MemoryAccount GrowthOf(const OpenTraffic& /*open*/) const { return {}; }
  /// Adds the memory that the backend has allocated.
  virtual void AddMemory(MemoryAccount* /*account*/) const {}

  // Checkpoints: one piece a domain, with the state of its agent. At a cut only. The defaults throw
  // UserError.

  /// Saves this rank's domains.
  virtual void SavePieces(PieceWriter* to);
  /// Loads the pieces. The backend must be made of the same inputs and must not have run. Throws
  /// UserError.
  virtual void LoadPieces(CheckpointPieces* from);
};

}  // namespace heddle
