// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/message_delay.h"

#include <algorithm>

namespace heddle {
namespace {

class DescribedDelay : public MessageDelay {
 public:
  void BeginRun() override {
    latest_ = 0;
    received_.clear();
    arriving_.clear();
  }
  void Add(const RankPair& ranks, double weight) override {
    const double end = ReceivedBy(ranks.source) + weight;
    latest_ = std::max(latest_, end);
    arriving_.push_back({ranks.destination, end});
  }
  void EndLevel() override {
    for (const Arrival& arrival : arriving_) {
      double& received = ReceivedBy(arrival.rank);
      received = std::max(received, arrival.end);
    }
    arriving_.clear();
  }
  double Latest() const override { return latest_; }

 private:
  struct Arrival {
    std::uint32_t rank = 0;
    double end = 0;
  };

  double& ReceivedBy(std::uint32_t rank) {
    if (rank >= received_.size()) received_.resize(rank + 1, 0);
    return received_[rank];
  }

  double latest_ = 0;
  std::vector<double> received_;   ///< by rank: end of all that came in earlier levels
  std::vector<Arrival> arriving_;  ///< of the open level
};

}  // namespace

std::unique_ptr<MessageDelay> MakeMessageDelay() { return std::make_unique<DescribedDelay>(); }

}  // namespace heddle
