// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/exchange_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/engine/edge_agreement.h"

namespace heddle {

ExchangeKind ParseExchangeKind(const std::string& name) {
  if (name == "auto") return ExchangeKind::kAuto;
  if (name == "all") return ExchangeKind::kAll;
  if (name == "some") return ExchangeKind::kSome;
  throw UsageError(fmt::format("--exchange: found '{}'. Expected: auto, all or some", name));
}

double TimeWithAll(std::uint32_t ranks, const EdgeCosts& costs) {
  return 2 * (ranks - 1) * costs.batch + costs.latency;
}

double TimeWithSome(std::uint32_t ranks, double partners, const EdgeCosts& costs) {
  // Batches are on their way while ranks agree.
  return 2 * partners * costs.batch +
         EdgeAgreement::Steps(ranks) * (costs.latency + 2 * costs.batch);
}

double TimeOfExchange(std::uint32_t ranks, double partners, const EdgeCosts& costs) {
  return std::min(TimeWithAll(ranks, costs), TimeWithSome(ranks, partners, costs));
}

bool SomePays(std::uint32_t ranks, double partners, const EdgeCosts& costs) {
  return TimeWithSome(ranks, partners, costs) < TimeWithAll(ranks, costs);
}

}  // namespace heddle
