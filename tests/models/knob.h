// SPDX-License-Identifier: GPL-2.0-only
/// A row of the table of options (knobs_test.cc): a scenario in which an option changes a figure.
#pragma once

#include <functional>
#include <ostream>
#include <utility>
#include <vector>

#include "transport/domain/state/transport_options.h"

namespace heddle::testing {

using KnobSettings = std::vector<std::pair<const char*, const char*>>;
/// The figure with the second value of the option, compared with that of the first.
enum class Expect { kLess, kMore };

struct Knob {
  const char* key;
  const char* first;
  const char* second;
  Expect expect;
  const char* why;
  std::function<double(const TransportOptions&)> figure;
  KnobSettings base;
};

inline void PrintTo(const Knob& knob, std::ostream* out) { *out << knob.key; }

/// Those of choices among paths, and of receivers that bear reordering.
std::vector<Knob> BalanceKnobs();
/// Those of entropies.
std::vector<Knob> EntropyKnobs();
/// Those of Ultra Ethernet, and of the choice of the transport.
std::vector<Knob> UecKnobs();
/// Those of requests and CAST.
std::vector<Knob> CastKnobs();
/// Those of scale-up links.
std::vector<Knob> ScaleUpKnobs();

}  // namespace heddle::testing
