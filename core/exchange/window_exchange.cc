// SPDX-License-Identifier: GPL-2.0-only
#include "core/exchange/window_exchange.h"

namespace heddle {
namespace {

/// Assumed share of ranks for which a rank has messages in the first window.
constexpr double kGuess = 0.25;

}  // namespace

WindowExchange::WindowExchange(const Communicator& world, PostOffice* post_office,
                               ExchangeKind kind, const EdgeCosts& costs)
    : post_office_(post_office),
      ranks_(world.size()),
      kind_(kind),
      costs_(costs),
      wait_(world.size() == 1),
      dense_(world, post_office),
      sparse_(world, post_office),
      to_some_(kind == ExchangeKind::kSome ||
               (kind == ExchangeKind::kAuto && SomePays(ranks_, kGuess * ranks_, costs_))) {}

EdgeState WindowExchange::Exchange(EdgeState mine) {
  if (ranks_ == 1) return mine;
  std::int64_t partners = 0;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    const std::size_t records = post_office_->outbox(RankId(rank)).size();
    sent_ += records / post_office_->stride();
    partners += records > 0;
  }
  mine.minus_partners = -partners;
  if (to_some_) ++windows_with_some_;
  const EdgeState agreed =
      to_some_ ? sparse_.Exchange(mine, &wait_) : dense_.Exchange(mine, &wait_);
  // Consecutive windows are alike, so the busiest rank's number of partners in this window chooses
  // the exchange of the next.
  if (kind_ == ExchangeKind::kAuto)
    to_some_ = SomePays(ranks_, static_cast<double>(-agreed.minus_partners), costs_);
  return agreed;
}

}  // namespace heddle
