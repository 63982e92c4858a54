// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/pat_replay.h"

#include <algorithm>
#include <vector>

namespace heddle {

double PatSeconds(const PatRounds& rounds, std::uint32_t pieces, double block, double latency) {
  std::vector<double> arrival(rounds.messages());
  double sent = 0;
  for (std::uint32_t message = 0; message < rounds.messages(); ++message) {
    for (const std::uint32_t parent : rounds.parents(message))
      sent = std::max(sent, arrival[parent]);
    sent += rounds.offsets(message).size() * block;
    arrival[message] = sent + latency;
  }
  return pieces * sent + latency;
}

}  // namespace heddle
