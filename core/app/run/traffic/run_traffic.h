// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of a run: the driver that posts it, and all that the run asks of it, whether it is
/// of jobs, of a schedule or of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/table.h"
#include "core/base/units.h"
#include "core/checkpoint/checkpoint.h"
#include "core/mpi/communicator.h"
#include "core/traffic/flow_agent.h"
#include "transport/run/backends/backend.h"

namespace heddle {

struct ExecutionContext;

/// What is known of the traffic before the run.
struct TrafficPlan {
  std::int64_t flows = 0;          ///< of all ranks, one a queue pair
  bool may_be_fewer = false;       ///< the backend has to count them
  Bytes payload = Bytes{0};        ///< of a trace; jobs: zero
  FlowSample kept_flows;           ///< which flows the result keeps
  std::vector<std::string> trees;  ///< what jobs have of trees of switches that add, a line each
  std::vector<std::string> stand_ins;  ///< which GPUs of jobs stand for others, a line each
  std::uint64_t operations = 0;        ///< collectives of all groups; 0 for traces
  /// Which of the jobs' operations have rows in /collectives; none for traces.
  std::optional<FlowSample> kept_operations;
};

/// How far the traffic is: `done` of `expected`, in units of its choice.
struct TrafficProgress {
  std::int64_t done = 0, expected = 0;
};

/// What is measured when progress is asked for.
struct TrafficMeasure {
  const DomainBooks& books;  ///< of all ranks
  double packet_hops = 0;    ///< expected of the whole run; 0: unknown
  bool goes_on = true;       ///< whether the traffic is unfinished
};

/// One rank's side.
class RunTraffic {
 public:
  /// Names an operation of a job.
  using NameOfOperation = std::function<std::string(std::uint32_t job, std::uint32_t operation)>;

  virtual ~RunTraffic() = default;
  /// Returns what Backend::Drive() takes; owned by this.
  virtual FlowDriver* driver() = 0;

  const TrafficPlan& plan() const { return plan_; }  ///< known before the run
  /// Visits all messages in bundles, without creating them.
  virtual void ForEachMessage(const TrafficVisit& visit) = 0;
  /// Estimates the most messages under way at once, of all ranks; none: follows from the flows of
  /// the input.
  virtual std::optional<double> OpenMessages() { return std::nullopt; }

  /// Returns how far the work is, from what was measured on all ranks.
  virtual TrafficProgress ProgressAt(const TrafficMeasure& measure) const = 0;
  /// Whether work is left when no event is. Collective.
  virtual bool Unfinished(const Communicator& world, const DomainBooks& books) const = 0;
  /// When the work ended so far; `fabric`: time of the backend's last event. Collective.
  virtual Time EndOfWork(const Communicator& world, Time fabric) const = 0;
  virtual void AddMemory(MemoryAccount* account) const = 0;  ///< of driver and agents
  /// Saves for a checkpoint what its agents hold together; they save the rest with their domains.
  virtual void SavePiece(PieceWriter* /*to*/, RankId /*here*/) const {}
  /// Loads this rank's share of those pieces, before the backend is loaded.
  virtual void LoadPieces(CheckpointPieces* /*from*/, const Communicator& /*world*/) {}

  /// Why the work is unfinished, for the error message; the text is at the root. Collective.
  virtual std::string Waiting(const Communicator& /*world*/) const { return ""; }
  /// What the traffic says of its work for the summary, whole lines; the text is at the root.
  /// Collective.
  virtual std::string Summary(const Communicator& /*world*/) const { return ""; }
  /// What the traffic says of its work as an object of JSON, for --json; empty: nothing. At the
  /// root. Collective.
  virtual std::string FiguresJson(const Communicator& /*world*/) const { return ""; }
  /// Tables of the traffic's own for the result; the rows are at the root. Collective.
  virtual std::vector<Table> Tables(const Communicator& /*world*/) const { return {}; }
  /// Names what a flow's origin points to; null if flows have none. This must outlive the function.
  virtual NameOfOperation Names() const { return nullptr; }
  /// What programs of GPUs recorded on this rank; null for traffic without programs.
  virtual ExecutionContext* programs() { return nullptr; }

 protected:
  TrafficPlan plan_;  ///< filled in by the constructor
};

}  // namespace heddle
