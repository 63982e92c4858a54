// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/paths/link_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostFlows = 1'000'000;
constexpr std::string_view kLineText = "line";

/// Throws; OptionSet::Set puts the key and the value before the text.
[[noreturn]] void Refuse() {
  throw UserError(fmt::format("expected a number of flows from 1 to {}, {}, or {}", kMostFlows,
                              kLinkRateRange, kLineText));
}

/// Parses a rate and checks that a link may have it.
BitRate ParseLinkRate(std::string_view text) {
  BitRate rate;
  try {
    rate = ParseBitRate(text);
  } catch (const UserError&) {
    Refuse();
  }
  if (rate < kLowestLinkRate || kHighestLinkRate < rate) Refuse();
  return rate;
}

}  // namespace

ShareLimit ParseShareLimit(std::string_view text) {
  if (text == kLineText) return {ShareLimit::Unit::kLine, 0};
  std::int64_t flows = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, flows);
  if (stop != end) return {ShareLimit::Unit::kRate, ParseLinkRate(text).bps};
  if (error != std::errc() || flows < 1 || flows > kMostFlows) Refuse();
  return {ShareLimit::Unit::kFlows, flows};
}

std::string ToText(ShareLimit limit) {
  switch (limit.unit) {
    case ShareLimit::Unit::kFlows:
      return fmt::format("{}", limit.value);
    case ShareLimit::Unit::kRate:
      return ToText(BitRate{limit.value});
    case ShareLimit::Unit::kLine:
      break;
  }
  return std::string(kLineText);
}

LinkShares::LinkShares(const Graph& graph, const HopNumbers& numbers, ShareLimit limit)
    : limit_(limit), load_(numbers.count(), 0) {
  HEDDLE_EXPECT(limit.unit == ShareLimit::Unit::kLine || limit.value > 0);
  if (limit.unit != ShareLimit::Unit::kLine) return;
  capacity_.reserve(numbers.count());
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    for (const Attachment& port : graph.ports(NodeId(i)))
      capacity_.push_back(graph.link(port.link).rate.bps);
  }
}

std::uint64_t LinkShares::WideUse(std::uint64_t reserved, std::uint64_t capacity) {
  return static_cast<std::uint64_t>(
      (static_cast<unsigned __int128>(reserved) * kFull + capacity - 1) / capacity);
}

void LinkShares::Reserve(HopIndex hop, BitRate demand) {
  const std::int64_t claim = ClaimOn(hop, demand);
  HEDDLE_INVARIANT(load_[hop] <= std::numeric_limits<std::int64_t>::max() - claim,
                   fmt::format("link {} carries too many reservations to count them", hop));
  if (load_[hop] == 0) ++in_use_;
  load_[hop] += claim;
}

void LinkShares::Release(HopIndex hop, BitRate demand) {
  const std::int64_t claim = ClaimOn(hop, demand);
  HEDDLE_INVARIANT(load_[hop] >= claim, fmt::format("link {}: {} released, but only {} reserved",
                                                    hop, claim, load_[hop]));
  load_[hop] -= claim;
  if (load_[hop] == 0) --in_use_;
}

}  // namespace heddle
