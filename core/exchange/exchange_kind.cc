// SPDX-License-Identifier: GPL-2.0-only
#include "core/exchange/exchange_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {

ExchangeKind ParseExchangeKind(const std::string& name) {
  if (name == "auto") return ExchangeKind::kAuto;
  if (name == "all") return ExchangeKind::kAll;
  if (name == "some") return ExchangeKind::kSome;
  throw UsageError(fmt::format("--exchange: found '{}'. Expected: auto, all or some", name));
}

std::uint32_t AgreementSteps(std::uint32_t ranks) {
  std::uint32_t steps = 0;
  std::uint32_t inner = 1;  // largest power of two that is not above `ranks`
  for (; inner <= ranks / 2; inner *= 2) ++steps;
  return inner < ranks ? steps + 2 : steps;
}

double TimeWithAll(std::uint32_t ranks, const EdgeCosts& costs) {
  return 2 * (ranks - 1) * costs.batch + costs.latency;
}

double TimeWithSome(std::uint32_t ranks, double partners, const EdgeCosts& costs) {
  // Batches travel while ranks agree.
  return 2 * partners * costs.batch + AgreementSteps(ranks) * (costs.latency + 2 * costs.batch);
}

double TimeOfExchange(std::uint32_t ranks, double partners, const EdgeCosts& costs) {
  return std::min(TimeWithAll(ranks, costs), TimeWithSome(ranks, partners, costs));
}

bool SomePays(std::uint32_t ranks, double partners, const EdgeCosts& costs) {
  return TimeWithSome(ranks, partners, costs) < TimeWithAll(ranks, costs);
}

}  // namespace heddle
