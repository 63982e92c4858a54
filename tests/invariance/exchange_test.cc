// SPDX-License-Identifier: GPL-2.0-only
/// The exchange at a window's edge, under mpirun with any number of ranks: every message arrives
/// once, before the next window, and all ranks agree. Windows with few and with many partners
/// alternate, so that the automatic choice changes.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/engine/engine.h"
#include "core/exchange/window_exchange.h"
#include "core/mpi/communicator.h"
#include "tests/support/ranks_main.h"

namespace {

using namespace heddle;

struct Letter {
  std::uint64_t window, sender, number, rest[3];
};

/// Counts messages that arrive, by window and sender.
class Reader final : public Domain {
 public:
  using Domain::Domain;
  void RunUntil(Time end) override {
    Event event;
    while (queue_.PopBefore(end, &event)) {
      Letter letter;
      std::memcpy(&letter, cargo_[event.argument].bytes, sizeof letter);
      cargo_.Free(event.argument);
      ++events_;
      ++got[{letter.window, letter.sender}];
    }
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> got;
};

/// Number of messages from one rank to another in a window: every rank can compute it.
std::uint32_t Letters(std::uint64_t window, std::uint32_t from, std::uint32_t to,
                      std::uint32_t ranks) {
  if (from == to) return 0;
  RandomStream random(window, (std::uint64_t{from} << 32) | to, RandomPurpose::kTrace);
  const std::uint64_t phase = window / 16 % 3;
  const bool partner = phase == 0 || (phase == 1 && to == (from + 1) % ranks) ||
                       (phase == 2 && random.Below(ranks) == 0);
  if (!partner) return 0;
  // Sometimes more than fit into the first piece of a batch.
  return static_cast<std::uint32_t>(1 + random.Below(random.Below(8) == 0 ? 3000 : 5));
}

bool Check(bool good, const char* what, std::uint64_t window, std::uint32_t rank) {
  if (!good)
    std::printf("rank %u, window %llu: %s\n", rank, static_cast<unsigned long long>(window), what);
  return good;
}

bool Run(const Communicator& world, ExchangeKind kind, const char* name) {
  const std::uint32_t ranks = world.size(), here = world.rank().value;
  std::vector<RankId> owners;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) owners.push_back(RankId(rank));
  PostOffice post(owners, world.rank(), ranks);
  Reader reader{DomainId(here)};
  post.Add(&reader);
  // A network without latency, so that the exchange with few partners pays on eight ranks.
  WindowExchange exchange(world, &post, kind, {0, 1e-6});
  bool good = true;
  std::uint64_t expected_sent = 0;
  for (std::uint64_t window = 0; window < 96; ++window) {
    const Time now{static_cast<std::int64_t>(1000 * (window + 1))};
    for (std::uint32_t to = 0; to < ranks; ++to) {
      const std::uint32_t count = Letters(window, here, to, ranks);
      for (std::uint32_t i = 0; i < count; ++i)
        post.Send(DomainId(to), now + Time{i % 7}, i, Letter{window, here, i, {}});
      expected_sent += count;
    }
    const std::int64_t mine =
        1'000'000 + (7 * here + 3 * static_cast<std::int64_t>(window)) % ranks;
    const EdgeState agreed = exchange.Exchange(
        {{mine, Time::Max().ps}, Time::Max().ps, here == window % ranks ? -1 : 0});
    std::int64_t least = Time::Max().ps, most = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      least = std::min<std::int64_t>(
          least, 1'000'000 + (7 * rank + 3 * static_cast<std::int64_t>(window)) % ranks);
      std::int64_t partners = 0;
      for (std::uint32_t to = 0; to < ranks; ++to) partners += Letters(window, rank, to, ranks) > 0;
      most = std::max(most, partners);
    }
    good = Check(agreed.next_time_ps[0] == least, "another earliest time", window, here) && good;
    good = Check(agreed.wants_report == -1, "a wish was lost", window, here) && good;
    good =
        Check(ranks == 1 || agreed.minus_partners == -most, "other partners", window, here) && good;
    post.RunDomain(0, now + Time{1000});
    for (std::uint32_t from = 0; from < ranks; ++from) {
      const auto found = reader.got.find({window, from});
      const std::uint32_t count = found == reader.got.end() ? 0 : found->second;
      good = Check(count == Letters(window, from, here, ranks), "another number of letters", window,
                   here) &&
             good;
    }
  }
  good = Check(exchange.messages_sent() == expected_sent, "another number sent", 96, here) && good;
  const std::int64_t sparse = world.Sum(static_cast<std::int64_t>(exchange.windows_with_some()));
  if (world.is_root())
    std::printf("%s: %lld of 96 windows with some only\n", name,
                static_cast<long long>(sparse / ranks));
  if (kind == ExchangeKind::kSome) return good && sparse == 96 * ranks;
  return good &&
         (kind == ExchangeKind::kAuto && ranks == 8 ? sparse > 20 * ranks && sparse < 70 * ranks
                                                    : sparse == 0);
}

}  // namespace

bool heddle::TestOnRanks(const Communicator& world) {
  bool good = Run(world, ExchangeKind::kAll, "all");
  if (world.size() > 1) good = Run(world, ExchangeKind::kSome, "some") && good;
  return Run(world, ExchangeKind::kAuto, "auto") && good;
}
