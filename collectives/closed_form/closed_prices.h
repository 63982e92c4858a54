// SPDX-License-Identifier: GPL-2.0-only
/// Prices of collectives by closed forms (closed_form.h), with the algorithm and protocol that a
/// run with packets would choose.
#ifndef HEDDLE_COLLECTIVES_CLOSED_FORM_CLOSED_PRICES_H_
#define HEDDLE_COLLECTIVES_CLOSED_FORM_CLOSED_PRICES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/choice/issue_delay.h"
#include "collectives/closed_form/closed_form.h"
#include "collectives/closed_form/wire_figures.h"
#include "core/traffic/collective_prices.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Groups of one shape (the same servers, rails and edge switches, whatever their numbers) share
/// their prices: thousands of groups of a large job cost one computation.
class ClosedPrices final : public CollectivePrices {
 public:
  /// `graph` and `options` must outlive it.
  ClosedPrices(const Graph& graph, const CollectiveOptions& options, const WireFigures& wire);

  Time PriceOf(const CollectiveCall& call) override;
  std::string Describe() const override;

 private:
  /// Job, type of group, group.
  using GroupKey = std::tuple<std::uint16_t, GroupType, std::uint32_t>;
  /// A group's shape by number, its collective.
  using PriceKey = std::tuple<std::uint32_t, Operation, std::int64_t, std::uint32_t, std::uint32_t>;

  std::uint32_t ShapeOf(const CollectiveCall& call);
  Time Compute(const CollectiveSpec& spec, const GroupShape& shape) const;
  /// Sets the times of a piece's bytes on ports of their own.
  void SetPieces(const CollectiveSpec& spec, const AlgorithmChoice& choice, const GroupShape& shape,
                 ClosedFormInput* input) const;
  /// Seconds of a message of `bytes` from one rank to another, but for the time that its bytes take
  /// on the slowest port.
  double LatencyOf(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                   const GroupShape& shape, Participant from, Participant to) const;

  const Graph& graph_;
  const CollectiveOptions& options_;
  WireFigures wire_;
  IssueDelay delay_;
  Routes routes_;
  std::map<GroupKey, std::uint32_t> shape_of_group_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> shape_of_places_;
  std::vector<std::unique_ptr<GroupShape>> shapes_;  ///< one group of each shape
  std::map<PriceKey, Time> prices_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CLOSED_FORM_CLOSED_PRICES_H_
