// SPDX-License-Identifier: GPL-2.0-only
/// Prices of a run's collectives on its fabric (fabric_price.h), each computed once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/closed_form/fabric_price.h"
#include "core/traffic/collective_prices.h"

namespace heddle {

/// Groups of one shape (the same servers, rails and edge switches, whatever their numbers) share
/// their prices: thousands of groups of a large job cost one computation.
class ClosedPrices final : public CollectivePrices, public CollectiveLoads {
 public:
  /// `graph` and `options` must outlive it. `calibration`: measured values that replace those of
  /// closed forms; null: none.
  ClosedPrices(const Graph& graph, const CollectiveOptions& options, const WireFigures& wire,
               std::unique_ptr<Calibration> calibration = nullptr);

  /// Returns the price, at least 1 ps. Throws UserError as FabricPrices.
  Time PriceOf(const CollectiveCall& call) override;
  /// Describes the transport, and the calibration if there is one, in lines for a report.
  std::string Describe() const override;
  CollectiveLoads* loads() override { return this; }

  /// Returns the time of the busiest port, at most the price.
  Time BusyTimeOf(const CollectiveCall& call) override;
  void ForEachConnection(const CollectiveCall& call, const Visit& visit) override;

  /// Returns the closed form's parts of the price, before calibration. Valid as long as the object.
  const PriceParts& PartsOf(const CollectiveCall& call) { return Known(call).parts; }
  /// Returns the price with what it is made of. Valid as long as the object.
  const CollectivePrice& WholePriceOf(const CollectiveCall& call) { return Known(call).price; }

  /// Returns the number of the group's shape, a new one if no group before had it.
  std::uint32_t ShapeOf(const CollectiveCall& call);
  /// Forgets which shape each group has, for calls of jobs that are divided otherwise. Shapes and
  /// their prices stay, but for those of pairs that differ, whose tables are the job's.
  void ForgetGroups();

 private:
  /// Job, type of group, group.
  using GroupKey = std::tuple<std::uint16_t, GroupType, std::uint32_t>;
  /// A group's shape by number and its type, by which algorithms may be chosen; its collective.
  using PriceKey = std::pair<std::uint32_t, CollectiveSpec>;
  struct Priced {
    PriceParts parts;
    CollectivePrice price;
  };

  /// Returns the price and its parts, computed at the first call of its kind.
  const Priced& Known(const CollectiveCall& call);

  std::unique_ptr<Calibration> calibration_;
  FabricPrices fabric_;
  std::map<GroupKey, std::uint32_t> shape_of_group_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> shape_of_places_;
  std::vector<std::unique_ptr<GroupShape>> shapes_;  ///< one group of each shape
  std::map<PriceKey, Priced> prices_;
};

}  // namespace heddle
