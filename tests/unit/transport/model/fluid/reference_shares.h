// SPDX-License-Identifier: GPL-2.0-only
/// Max-min fair rates by the definition, in fractions and from nothing: what FluidNetwork is held
/// against. For small networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/model/fluid/fluid_network.h"

namespace heddle {

/// A fraction >= 0 of 128 bits, reduced. Exact for what the tests compute.
class Fraction {
 public:
  __extension__ using Wide = __int128;

  Fraction(Wide above = 0, Wide below = 1) : above_(above), below_(below) {
    Wide a = above_ < 0 ? -above_ : above_, b = below_;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    above_ /= a;
    below_ /= a;
  }
  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    return {a.above_ * b.below_ + b.above_ * a.below_, a.below_ * b.below_};
  }
  friend Fraction operator-(const Fraction& a, const Fraction& b) {
    return {a.above_ * b.below_ - b.above_ * a.below_, a.below_ * b.below_};
  }
  friend Fraction operator/(const Fraction& a, std::int64_t b) { return {a.above_, a.below_ * b}; }
  friend bool operator<(const Fraction& a, const Fraction& b) {
    return a.above_ * b.below_ < b.above_ * a.below_;
  }
  double value() const { return static_cast<double>(above_) / static_cast<double>(below_); }

 private:
  Wide above_, below_;
};

struct ReferenceFlow {
  std::vector<std::uint32_t> links;
  FluidRate limit = kNoLimit;
};

/// Rates of the flows. `capacities`: by link.
inline std::vector<Fraction> ReferenceShares(const std::vector<FluidRate>& capacities,
                                             const std::vector<ReferenceFlow>& flows) {
  std::vector<Fraction> rates(flows.size());
  std::vector<bool> done(flows.size(), false);
  for (std::size_t left = flows.size(); left > 0;) {
    // The lowest level at which a link is full or a limit is reached, all others at that level.
    Fraction lowest(kNoLimit);
    for (std::uint32_t link = 0; link < capacities.size(); ++link) {
      Fraction rest(capacities[link]);
      std::int64_t open = 0;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        for (const std::uint32_t at : flows[f].links) {
          if (at != link) continue;
          if (done[f]) rest = rest - rates[f];
          open += done[f] ? 0 : 1;
        }
      }
      if (open > 0 && rest / open < lowest) lowest = rest / open;
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!done[f] && Fraction(flows[f].limit) < lowest) lowest = Fraction(flows[f].limit);
    }
    // All flows that cannot have more than that.
    std::vector<std::size_t> stopped;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (done[f]) continue;
      bool stops = !(lowest < Fraction(flows[f].limit));
      for (const std::uint32_t link : flows[f].links) {
        Fraction used;
        for (std::size_t g = 0; g < flows.size(); ++g) {
          for (const std::uint32_t at : flows[g].links) {
            if (at == link) used = used + (done[g] ? rates[g] : lowest);
          }
        }
        stops = stops || !(used < Fraction(capacities[link]));
      }
      if (stops) stopped.push_back(f);
    }
    for (const std::size_t f : stopped) {
      rates[f] = lowest;
      done[f] = true;
    }
    left -= stopped.size();
  }
  return rates;
}

}  // namespace heddle
