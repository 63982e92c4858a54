// SPDX-License-Identifier: GPL-2.0-only
/// Measures the additional processor time of a message to another rank over one to a domain of the
/// same rank, without MPI's own time: the constant m of the scaling model (docs/models/scaling.md).
///
/// Simulates one rank of `ranks` with 16 domains: in each window it sends as many messages to each
/// other rank as it receives from it. Prints nanoseconds a message: into an inbox of its own rank,
/// into an outbox, and from a received batch into an inbox.
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "core/events/post_office.h"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kDomainsPerRank = 16;
constexpr int kWarmUp = 10, kWindows = 200;

/// A domain that discards its messages.
class Forgetful final : public Domain {
 public:
  using Domain::Domain;
  void RunUntil(Time end) override {
    Event event;
    while (queue_.PopBefore(end, &event)) cargo_.Free(event.argument);
  }
};

/// A record of the size of a cargo, which is that of a packet.
struct Record {
  unsigned char bytes[sizeof(Cargo)] = {};
};

double Since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void Measure(std::uint32_t ranks, std::uint32_t messages) {
  std::vector<RankId> rank_of;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    rank_of.insert(rank_of.end(), kDomainsPerRank, RankId(rank));
  std::uint64_t state = 1;
  const auto random = [&] {
    return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33;
  };
  // Destinations: domains of the other ranks, domains of this rank.
  std::vector<DomainId> others, own;
  for (std::uint32_t i = 0; i < messages; ++i) {
    others.push_back(DomainId(
        static_cast<std::uint32_t>(kDomainsPerRank + random() % (kDomainsPerRank * (ranks - 1)))));
    own.push_back(DomainId(static_cast<std::uint32_t>(random() % kDomainsPerRank)));
  }
  PostOffice post(rank_of, RankId(0), ranks);
  std::vector<std::unique_ptr<Forgetful>> domains;
  for (std::uint32_t i = 0; i < kDomainsPerRank; ++i) {
    domains.push_back(std::make_unique<Forgetful>(DomainId(i)));
    post.Add(domains.back().get());
  }
  double local = 0, out = 0, in = 0;
  const Record record;
  std::vector<std::vector<AddressedMessage>> batches(ranks);
  const auto forget = [&] {
    for (std::uint32_t i = 0; i < kDomainsPerRank; ++i) post.RunDomain(i, Time::Max());
  };
  for (int window = -kWarmUp; window < kWindows; ++window) {
    if (window == 0) local = out = in = 0;
    Clock::time_point start = Clock::now();
    for (std::uint32_t i = 0; i < messages; ++i) post.Send(own[i], Time{i}, i, record);
    local += Since(start);
    forget();
    start = Clock::now();
    for (std::uint32_t i = 0; i < messages; ++i) post.Send(others[i], Time{i}, i, record);
    out += Since(start);
    // Received batches are the sent ones with other addresses.
    for (std::uint32_t i = 1; i < ranks; ++i) {
      batches[i].clear();
      batches[i].swap(post.outbox(RankId(i)));
      for (AddressedMessage& message : batches[i])
        message.destination = DomainId(message.destination.value % kDomainsPerRank);
    }
    start = Clock::now();
    for (std::uint32_t i = 1; i < ranks; ++i) post.Receive(batches[i].data(), batches[i].size());
    in += Since(start);
    forget();
  }
  const double per = 1.0 / (static_cast<double>(messages) * kWindows);
  std::printf(
      "%2u ranks, %5u messages of a rank a window: local %.1f ns, out %.1f ns, in %.1f ns; more "
      "than local, an end: %.1f ns\n",
      ranks, messages, local * per, out * per, in * per, (out + in - local) * per / 2);
}

}  // namespace

int main() {
  Measure(2, 2'000);
  Measure(2, 20'000);
  Measure(8, 8'000);
  Measure(64, 2'000);
  Measure(64, 8'000);
}
