// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/balance/port_chooser.h"

#include <algorithm>
#include <numeric>

namespace heddle {

PortChooser::PortChooser(const PortOptions& options, std::int64_t full, std::uint64_t seed,
                         std::uint64_t node)
    : scheme_(options.scheme),
      weighted_(options.weighted),
      gap_(options.gap),
      random_(seed, node, RandomPurpose::kPortChoice),
      flowlets_(static_cast<std::size_t>(options.flowlets)) {
  for (std::size_t i = 0; i < bounds_.size(); ++i) bounds_[i] = full * options.grades[i] / 100;
}

std::uint32_t PortChooser::NextInTurn(std::uint32_t count) {
  auto round = std::find_if(rounds_.begin(), rounds_.end(),
                            [count](const Round& r) { return r.count == count; });
  if (round == rounds_.end()) round = rounds_.insert(round, Round{count, 0, 1, 0});
  if (round->left == 0) {
    round->left = count;
    round->next = static_cast<std::uint32_t>(random_.Below(count));
    do {
      round->step = 1 + static_cast<std::uint32_t>(random_.Below(count - 1));
    } while (std::gcd(round->step, count) != 1);
  }
  --round->left;
  const std::uint32_t chosen = round->next;
  round->next = (round->next + round->step) % count;
  return chosen;
}

}  // namespace heddle
