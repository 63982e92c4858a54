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
#ifndef HEDDLE_TRANSPORT_BACKENDS_BACKEND_H_
#define HEDDLE_TRANSPORT_BACKENDS_BACKEND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/table.h"
#include "core/base/units.h"
#include "core/checkpoint/checkpoint.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"
#include "core/traffic/flow_agent.h"
#include "core/traffic/flow_request.h"
#include "topology/routes/routes.h"
#include "transport/backends/backend_records.h"
#include "transport/record/flow_records.h"
#include "transport/record/flow_sample.h"
#include "transport/record/taken_flows.h"

namespace heddle {

/// The part of the backend on one rank. Functions with a Communicator are collective.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Traffic: call Drive() once and before all other functions but routes().

  /// Throws UserError, naming the first flow of a trace that cannot be carried.
  virtual void CheckFlows(const std::vector<FlowRequest>& flows) const = 0;
  /// Lets the driver's agents post traffic while the simulation runs. `driver` must outlive the
  /// backend.
  virtual void Drive(FlowDriver* driver) = 0;
  /// How messages become rows of /flows.
  virtual MessageSplit split() const = 0;
  /// Whether it takes collectives whole, so that jobs have no messages.
  virtual bool carries_collectives() const = 0;
  /// Sets which finished flows get a record of their own (default: all). The other flows are only
  /// in the statistics and the digest.
  virtual void RecordFlows(FlowSample sample) = 0;
  /// Turns on the counts that Streams() returns, which may take time. Call it before the engine
  /// runs.
  virtual void CountStreams() = 0;

  // For the engine (EngineSetup, core/engine/engine.h).

  virtual PostOffice& post_office() = 0;
  /// Least time from sending a message to its arrival at another domain. Known after Drive().
  virtual Time Lookahead() const = 0;
  /// Whether the post office is divided, and messages within a side take two lookaheads.
  virtual bool two_sides() const = 0;
  /// Ranks that this rank exchanges messages with, ascending. The relation is symmetric.
  virtual std::vector<RankId> NeighbourRanks() const = 0;

  // Progress of this rank.

  /// Number of domains on this rank.
  virtual std::uint32_t domains() const = 0;
  virtual std::uint64_t events() const = 0;
  /// Time of the fabric's last event.
  virtual Time now() const = 0;
  virtual DomainBooks Books() const = 0;
  /// Digest of all flows of this rank, finished or not, with or without a record. Its sum over
  /// ranks does not depend on the partition.
  virtual std::uint64_t flow_digest() const = 0;
  /// Estimates DomainBooks::received_bytes at the end of a trace with this payload.
  virtual std::int64_t ReceivedBytesOf(Bytes payload) const = 0;
  /// Number of messages between domains, for senders of this rank, by sender and receiver,
  /// ascending.
  virtual std::vector<DomainStream> Streams() const = 0;

  // Checks.

  /// Returns the books of all ranks, which must balance. At a cut only. Throws SharedError (exit
  /// code 5) with the figures.
  virtual DomainBooks CheckConservation(const Communicator& world) = 0;
  /// Checks what must hold when nothing is in flight. Throws SharedError (exit code 5).
  virtual void CheckEnd(const Communicator& world) const = 0;
  /// Describes a deadlock, at the root; empty if there is none.
  virtual std::string FindDeadlock(const Communicator& world) const = 0;

  // For the result (docs/formats/result.md) and the summary.

  /// Takes this rank's records since the last call; the backend drops them.
  virtual FlowRecords TakeFlows() = 0;
  /// This rank's flows that have not ended. At a cut only.
  virtual std::vector<FlowRecord> OpenFlows() const = 0;
  /// Records as rows of "flows" (without received_ps), "recovery" and "arrivals".
  virtual std::vector<Table> FlowRows(const FlowRecords& records) const = 0;
  /// All ranks' records `mine` as the whole table "flows", at the root.
  virtual Table GatherFlows(const Communicator& world, const FlowRecords& mine) const = 0;
  /// Takes this rank's samples up to `until`, one table a monitor. `is_end`: nothing was sent after
  /// `until` on any rank, and the last samples are taken then.
  virtual std::vector<Table> TakeSamples(Time until, bool is_end) = 0;
  /// All other tables, at the root.
  virtual TotalTables GatherTotals(const Communicator& world) const = 0;

  // Before the run; memory also at any other time.

  /// Routes with all links up.
  virtual const Routes& routes() const = 0;
  virtual TrafficCost CostOf(const TrafficWalk& traffic) const = 0;
  /// Estimates an upper bound on the growth of its data structures.
  virtual MemoryAccount GrowthOf(const OpenTraffic& open) const = 0;
  /// Adds the memory that the backend has allocated.
  virtual void AddMemory(MemoryAccount* account) const = 0;

  // Text for people: whole lines.

  /// Describes the backend's settings.
  virtual std::string Describe() const = 0;
  /// Summarises what the run found besides flows, at the root.
  virtual std::string Summary() const = 0;

  // Checkpoints: one piece a domain, with the state of its agent. At a cut only.

  virtual void SavePieces(PieceWriter* to) = 0;
  /// Loads the pieces. The backend must be made of the same inputs and must not have run. Throws
  /// UserError.
  virtual void LoadPieces(CheckpointPieces* from) = 0;
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_BACKENDS_BACKEND_H_
