// SPDX-License-Identifier: GPL-2.0-only
/// Price of one collective on a fabric: the closed form (closed_form.h) of the algorithm, protocol,
/// pieces and latencies that a run with packets would use, or measured values in its place
/// (calibration.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "collectives/calibration/calibration.h"
#include "collectives/choice/collective_options.h"
#include "collectives/choice/issue_delay.h"
#include "collectives/closed_form/closed_form.h"
#include "collectives/closed_form/collective_price.h"
#include "collectives/closed_form/wire_figures.h"
#include "topology/routes/routes.h"

namespace heddle {

/// What a price is made of.
struct PriceParts {
  CalibratedKind kind;
  Bottleneck bottleneck = Bottleneck::kNone;
  double ports = 0;        ///< the busiest port's time [s]; 0: nothing is sent
  double closed_form = 0;  ///< [s]
};

class FabricPrices {
 public:
  /// `graph`, `options` and `calibration`, which may be null, must outlive it.
  FabricPrices(const Graph& graph, const CollectiveOptions& options, const WireFigures& wire,
               const Calibration* calibration);

  const Graph& graph() const { return graph_; }  ///< the fabric

  /// Returns the parts of the price of a spec with bytes. Throws UserError as ChooseAlgorithm(),
  /// and if two ranks have no path to each other.
  PriceParts PartsOf(const CollectiveSpec& spec, const GroupShape& shape) const;
  /// Returns the price made of these parts, by calibration if that knows its kind. Seconds 0:
  /// nothing is sent.
  CollectivePrice PriceOf(const CollectiveSpec& spec, const GroupShape& shape,
                          const PriceParts& parts) const;

  /// Visits what the collective sends, with the bytes of each bundle on the wire. Throws UserError
  /// as PartsOf().
  void ForEachBundle(
      const CollectiveSpec& spec, const GroupShape& shape,
      const std::function<void(const FlowBundle& bundle, std::int64_t bytes)>& visit) const;

 private:
  /// A collective with its choices.
  struct Chosen {
    const CollectiveSpec& spec;
    const GroupShape& shape;
    AlgorithmChoice choice;
  };
  /// Returns all that the closed form needs: loads, latencies, pieces and replays.
  ClosedFormInput InputOf(const Chosen& chosen, const Schedule& schedule) const;
  /// Returns the seconds to the end of the last piece, where pieces begin at a rate of their own;
  /// else 0.
  double PacedSeconds(const Chosen& chosen, const ClosedFormInput& input) const;
  /// Sets the times of a piece's bytes on ports of their own.
  void SetPieces(const Chosen& chosen, ClosedFormInput* input) const;
  /// Sets the mean latency of a message within the first server and between the servers; of a
  /// message between two ranks, its own.
  void SetLatencies(const Chosen& chosen, ClosedFormInput* input) const;
  /// Sets latencies where all messages leave at once, after the loads: of the last of a proxy's
  /// peers, and of what other GPUs relay.
  void SetWaits(const Chosen& chosen, const Schedule& schedule, ClosedFormInput* input) const;
  /// Sets the replay's time of PAT, after the loads and latencies.
  void SetReplay(const Chosen& chosen, ClosedFormInput* input) const;
  /// Sets the replay's time of an algorithm of a file, or by trees of switches.
  void SetScheduleReplay(const Chosen& chosen, const Schedule& schedule,
                         ClosedFormInput* input) const;
  /// Returns the seconds of a message from one rank to another, but for the time that its bytes
  /// take on the slowest port.
  double LatencyOf(const Chosen& chosen, const ClosedFormInput& input, Participant from,
                   Participant to) const;
  /// Returns the seconds from when a message may be sent to when it leaves.
  double WaitOf(const Chosen& chosen, const ClosedFormInput& input, const GroupFlow& flow) const;
  /// Returns the seconds of the links and switches between two ranks, for a packet of the
  /// collective. Throws UserError if there is no path.
  double PathOf(const Chosen& chosen, Participant from, Participant to) const;
  /// Returns the seconds of an answer from `to` to `from`, if a message has arrived with that
  /// (WireFigures::acked); else 0.
  double BackOf(const Chosen& chosen, Participant from, Participant to) const;

  const Graph& graph_;
  const CollectiveOptions& options_;
  WireFigures wire_;
  const Calibration* calibration_;
  IssueDelay delay_;
  Routes routes_;
};

}  // namespace heddle
