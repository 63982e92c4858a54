// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/receiver_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

struct ReceiverOptions {
  std::uint32_t receivers = 1;
  double to_receiver = 100, idle = 0;  ///< [%]
  bool one_source = false, drawn = true;
};

class ReceiverPattern : public LevelPattern {
 public:
  ReceiverPattern(const ReceiverOptions& options, std::uint32_t ranks)
      : options_(options), ranks_(ranks) {}

  void BeginRun(RandomStream* random) override {
    pairs_.clear();
    std::vector<std::uint32_t> senders(ranks_ - options_.receivers), open(options_.receivers);
    std::iota(senders.begin(), senders.end(), options_.receivers);
    std::iota(open.begin(), open.end(), 0U);
    if (options_.drawn) Shuffle(&senders, random);
    for (std::size_t j = 0; j < senders.size() && !open.empty(); ++j) {
      if (!Hits(options_.to_receiver, random)) {
        if (!Hits(options_.idle, random)) SendElsewhere(senders[j], random);
        continue;
      }
      const std::size_t chosen = j % open.size();
      pairs_.push_back({senders[j], open[chosen]});
      if (options_.one_source) open.erase(open.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }
  void Level(std::uint64_t level, std::vector<RankPair>* pairs) override {
    pairs->clear();
    if (level == 0) *pairs = pairs_;
  }

 private:
  /// Draws nothing where there is nothing to decide.
  static bool Hits(double percent, RandomStream* random) {
    if (percent >= 100) return true;
    return percent > 0 && random->Uniform() * 100 < percent;
  }
  void SendElsewhere(std::uint32_t sender, RandomStream* random) {
    const std::uint32_t others = ranks_ - options_.receivers - 1;
    if (others == 0) return;
    const auto drawn = static_cast<std::uint32_t>(random->Below(others)) + options_.receivers;
    pairs_.push_back({sender, drawn < sender ? drawn : drawn + 1});
  }

  ReceiverOptions options_;
  std::uint32_t ranks_;
  std::vector<RankPair> pairs_;  ///< of this run
};

[[noreturn]] void Refuse(const std::string& name, const std::string& word) {
  throw UserError(fmt::format(
      "pattern {}: argument '{}'. Expected: {}:K[,P1[,P2]][,rand|linear], K from 1, P1 and P2 "
      "from 0 to 100 percent",
      name, Printable(word), name));
}

ReceiverOptions ParseReceivers(const std::string& name, const std::string& argument) {
  std::vector<std::string> words(1);
  for (const char letter : argument) {
    if (letter == ',') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  ReceiverOptions options;
  options.one_source = name == "recvs_one_src";
  if (words.size() > 1 && (words.back() == "rand" || words.back() == "linear")) {
    options.drawn = words.back() == "rand";
    words.pop_back();
  }
  if (words.size() > 3) Refuse(name, argument);
  options.receivers = ReadNumber<std::uint32_t>(words[0]).value_or(0);
  if (options.receivers == 0) Refuse(name, argument);
  double* const percent[] = {&options.to_receiver, &options.idle};
  for (std::size_t i = 1; i < words.size(); ++i) {
    *percent[i - 1] = ReadNumber<double>(words[i]).value_or(-1);
    if (!(*percent[i - 1] >= 0 && *percent[i - 1] <= 100)) Refuse(name, argument);
  }
  return options;
}

}  // namespace

std::unique_ptr<LevelPattern> MakeReceiverPattern(const std::string& name,
                                                  const std::string& argument,
                                                  std::uint32_t ranks) {
  ReceiverOptions options = ParseReceivers(name, argument);
  options.receivers = std::min(options.receivers, ranks / 2);
  return std::make_unique<ReceiverPattern>(options, ranks);
}

}  // namespace heddle
