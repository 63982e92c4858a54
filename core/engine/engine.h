// SPDX-License-Identifier: GPL-2.0-only
/// The input and the report of an engine. An engine runs the domains of a rank from the first event
/// to the last, in step with the other ranks (core/engine/engine_session.h).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/engine/engine_kind.h"
#include "core/events/post_office.h"
#include "core/exchange/exchange_kind.h"
#include "core/mpi/communicator.h"

namespace heddle {

class WindowProfile;

/// How a rank's time was spent.
struct EngineReport {
  std::uint64_t windows = 0;        ///< windows, or wake-ups of domains under ns-3's engines
  std::uint64_t messages_sent = 0;  ///< to other ranks
  double blocked_seconds = 0;       ///< wall-clock time spent waiting for other ranks
  double wall_seconds = 0;
  bool stopped = false;      ///< ended by EngineSetup, before all events were done
  bool out_of_time = false;  ///< ended at kEndOfTime with events left; by the default engine only
};

/// A consistent cut, for observers: messages are in queues only, none is in flight between ranks.
struct Cut {
  Time now;  ///< all events before it are done
  // Figures of this rank since the run began. Under ns-3's engines, whose only cut is the end, they
  // are 0, and the report has them.
  double wall_seconds = 0;
  double blocked_seconds = 0;       ///< of wall_seconds, the time spent waiting for other ranks
  std::uint64_t messages_sent = 0;  ///< to other ranks
  std::size_t exchange_memory = 0;  ///< size of the batches to and from other ranks [byte]
  bool last = false;                ///< whether no event is left
};

/// Orders of the on_cut callback to the engine. The same on every rank, and changed within on_cut
/// only.
struct CutOrders {
  bool end = false;             ///< stop the run at this cut
  Time next_cut = Time::Max();  ///< call on_cut at the first edge at or after this time; the
                                ///< callback must then advance it
};

/// The input of an engine.
struct EngineSetup {
  PostOffice* post_office = nullptr;
  Time lookahead;          ///< least time from sending to arrival of a message; > 0
  bool two_sides = false;  ///< whether the post office is divided; a message within a side then
                           ///< takes at least two lookaheads
  /// For ns-3's engines: ranks to which this rank can send, ascending; symmetric.
  std::vector<RankId> neighbours;
  ExchangeKind exchange = ExchangeKind::kAuto;  ///< for the default engine
  /// Called on every rank at the same cut: about every `report_interval` seconds of wall-clock
  /// time, soon after a signal to any rank (core/system/signals.h), when `orders` ask for it, and
  /// at the end. Under ns-3's engines at the end only.
  std::function<void(const Cut&)> on_cut;
  const CutOrders* orders = nullptr;  ///< null: run to the end
  /// Seconds; only the root's value counts. Slow cuts are made less often, so that they take at
  /// most `cut_share` of the time, but at least every `longest_interval`.
  double report_interval = 1.0;
  double cut_share = 0.01;
  double longest_interval = 10.0;
  // The next three are for short runs, with the default engine only.
  WindowProfile* profile = nullptr;  ///< records what windows did
  /// The run ends when all events before this time are done; no later event runs.
  Time stop_at = Time::Max();
  /// The run also ends after this wall-clock time [s] at the root.
  double stop_after = std::numeric_limits<double>::infinity();
};

/// Returns the time until the next cut after a cut that took `cut_seconds` [s].
double NextReportInterval(const EngineSetup& setup, double cut_seconds);

}  // namespace heddle
