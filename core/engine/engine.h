// SPDX-License-Identifier: GPL-2.0-only
/// What an engine is given, and what it reports. It runs the domains of a rank from the first event
/// to the last, in step with the other ranks (core/engine/engine_session.h).
#ifndef HEDDLE_CORE_ENGINE_ENGINE_H_
#define HEDDLE_CORE_ENGINE_ENGINE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/engine/exchange_kind.h"
#include "core/events/post_office.h"
#include "core/mpi/communicator.h"

namespace heddle {

class WindowProfile;

enum class EngineKind {
  kDomain,   ///< windows of one lookahead, or two where sides run in turn; heddle's own
             ///< ns3::SimulatorImpl (the default)
  kNs3,      ///< ns-3's DistributedSimulatorImpl: granted time windows
  kNs3Null,  ///< ns-3's NullMessageSimulatorImpl: Chandy-Misra-Bryant null messages
};
/// Parses "domain", "ns3", "ns3-null". Throws UsageError naming the three.
EngineKind ParseEngineKind(const std::string& name);
const char* ToText(EngineKind kind);

/// How a rank's time was spent.
struct EngineReport {
  std::uint64_t windows = 0;        ///< windows, or wake-ups of domains under ns-3's engines
  std::uint64_t messages_sent = 0;  ///< to other ranks
  double blocked_seconds = 0;       ///< wall-clock time spent waiting for other ranks
  double wall_seconds = 0;
  bool stopped = false;  ///< by EngineSetup, before all was done
};

/// A consistent cut for watchers: no message is in flight but in queues.
struct Cut {
  Time now;  ///< all events before it are done
  // Of this rank, since the run began. Under ns-3's engines, whose only cut is the end, they are 0:
  // the report has them.
  double wall_seconds = 0;
  double blocked_seconds = 0;       ///< of these, waiting for other ranks
  std::uint64_t messages_sent = 0;  ///< to other ranks
  std::size_t exchange_memory = 0;  ///< of the batches for and from them [byte]
  bool last = false;                ///< nothing is left to do
};

/// What the watcher of cuts wants of the engine. The same on every rank, and changed within on_cut
/// only.
struct CutOrders {
  bool end = false;             ///< run no further: return from here
  Time next_cut = Time::Max();  ///< be called at the first window's edge with nothing left before
                                ///< this time; then it must move on
};

/// What an engine is given.
struct EngineSetup {
  PostOffice* post_office = nullptr;
  Time lookahead;          ///< no message arrives earlier after it was sent; > 0
  bool two_sides = false;  ///< the post office is divided, and a message within a side takes two
                           ///< lookaheads or more
  std::vector<RankId> neighbours;  ///< for ns-3's engines: ranks that this one has messages for,
                                   ///< ascending; symmetric
  ExchangeKind exchange = ExchangeKind::kAuto;  ///< for the default engine
  /// Called on every rank at the same cut: about every `report_interval` seconds of wall-clock
  /// time, soon after a signal to any rank (core/system/signals.h), when `orders` say so, and at
  /// the end. Under ns-3's engines at the end only.
  std::function<void(const Cut&)> on_cut;
  const CutOrders* orders = nullptr;  ///< none: run to the end
  /// Seconds; only the root's counts. Where cuts are slow they are rarer, so that they take at most
  /// `cut_share` of the time, unless `longest_interval` comes first.
  double report_interval = 1.0;
  double cut_share = 0.01;
  double longest_interval = 10.0;
  // For short runs; with the default engine only.
  WindowProfile* profile = nullptr;  ///< what windows did is recorded here
  Time stop_at =
      Time::Max();  ///< the run ends when all events before this are done, and none after
  double stop_after =
      std::numeric_limits<double>::infinity();  ///< or after so many seconds of wall-clock time;
                                                ///< the root's count
};

/// Seconds until the next cut, after one that took `cut_seconds`.
double NextReportInterval(const EngineSetup& setup, double cut_seconds);

}  // namespace heddle

#endif  // HEDDLE_CORE_ENGINE_ENGINE_H_
