// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/runs/seeds.h"

#include <fmt/format.h>

#include <cstdio>

namespace heddle {

int TrySeeds(const char* fuzzer, const Seeds& seeds,
             const std::function<Verdict(std::uint64_t)>& attempt) {
  std::uint64_t refused = 0, broken = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const int verdict = RunApart([&] { return attempt(seed); }, false);
    if (verdict == kRefused) ++refused;
    if (!IsBroken(verdict)) continue;
    ++broken;
    fmt::print(stderr, "{}: seed {}: {}\n", fuzzer, seed, Words(verdict));
  }
  fmt::print("{} scenarios from seed {}: {} refused with a message, {} broken\n", seeds.count,
             seeds.first, refused, broken);
  return broken == 0 && refused * 2 <= seeds.count ? 0 : 1;
}

}  // namespace heddle
