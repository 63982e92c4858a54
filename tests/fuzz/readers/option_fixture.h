// SPDX-License-Identifier: GPL-2.0-only
/// All options of `heddle run`, plus one of every possible type, and checks of options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "core/options/options.h"
#include "transport/domain/state/transport_options.h"

namespace heddle {

struct OptionFixture {
  TransportOptions transport;
  CollectiveOptions collectives;
  OptionSet options;
  bool flag = false;
  std::int64_t whole = 0;
  double real = 0.5;
  Time bare{0}, united{1000};
  std::string text, choice = "one";
  OptionFixture();
  OptionFixture(const OptionFixture&) = delete;
  OptionFixture& operator=(const OptionFixture&) = delete;
};

/// Every value must be text without control characters that, set again, gives the same value, so
/// that a configuration echo can be read back.
void CheckOptionsRoundTrip(const OptionSet& options);

/// A key with values in its range and just outside it.
struct KeyValues {
  std::string key;
  std::vector<std::string> values;
};
/// For all options by all names; keys of SimAI that heddle does not use have no values.
std::vector<KeyValues> AllKeyValues();

}  // namespace heddle
