// SPDX-License-Identifier: GPL-2.0-only
/// Price of one collective on a fabric: the closed form (closed_form.h) of the algorithm, protocol,
/// pieces and latencies that a run with packets would use, or measured values in its place
/// (calibration.h).
#ifndef HEDDLE_COLLECTIVES_CLOSED_FORM_FABRIC_PRICE_H_
#define HEDDLE_COLLECTIVES_CLOSED_FORM_FABRIC_PRICE_H_

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

  const Graph& graph() const { return graph_; }

  /// Of a spec with bytes. Throws UserError as ChooseAlgorithm(), and if two ranks have no way to
  /// each other.
  PriceParts PartsOf(const CollectiveSpec& spec, const GroupShape& shape) const;
  /// Of these parts. Seconds 0: nothing is sent.
  CollectivePrice PriceOf(const CollectiveSpec& spec, const GroupShape& shape,
                          const PriceParts& parts) const;

 private:
  /// A collective with its choices.
  struct Chosen {
    const CollectiveSpec& spec;
    const GroupShape& shape;
    AlgorithmChoice choice;
  };
  ClosedFormInput InputOf(const Chosen& chosen, const Schedule& schedule) const;
  /// Seconds to the end of the last piece, where pieces begin at a rate of their own; else 0.
  double PacedSeconds(const Chosen& chosen, const ClosedFormInput& input) const;
  /// Sets the times of a piece's bytes on ports of their own.
  void SetPieces(const Chosen& chosen, ClosedFormInput* input) const;
  void SetLatencies(const Chosen& chosen, ClosedFormInput* input) const;
  /// Latencies where all messages leave at once, after the loads: of the last of a proxy's peers,
  /// and of what other GPUs relay.
  void SetWaits(const Chosen& chosen, const Schedule& schedule, ClosedFormInput* input) const;
  /// Sets the replay's time of PAT, after the loads and latencies.
  void SetReplay(const Chosen& chosen, ClosedFormInput* input) const;
  /// Sets the replay's time of an algorithm of a file, or by trees of switches.
  void SetScheduleReplay(const Chosen& chosen, const Schedule& schedule,
                         ClosedFormInput* input) const;
  /// Seconds of a message from one rank to another, but for the time that its bytes take on the
  /// slowest port.
  double LatencyOf(const Chosen& chosen, const ClosedFormInput& input, Participant from,
                   Participant to) const;
  /// Seconds from when a message may be sent to when it leaves.
  double WaitOf(const Chosen& chosen, const ClosedFormInput& input, const GroupFlow& flow) const;
  /// Seconds of the links and switches between two ranks, for a packet of the collective.
  double PathOf(const Chosen& chosen, Participant from, Participant to) const;

  const Graph& graph_;
  const CollectiveOptions& options_;
  WireFigures wire_;
  const Calibration* calibration_;
  IssueDelay delay_;
  Routes routes_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CLOSED_FORM_FABRIC_PRICE_H_
