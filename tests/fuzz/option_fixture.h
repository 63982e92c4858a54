// SPDX-License-Identifier: GPL-2.0-only
/// All options of `heddle run`, one more of every type that an option can have, and what options
/// promise.
#ifndef HEDDLE_TESTS_FUZZ_OPTION_FIXTURE_H_
#define HEDDLE_TESTS_FUZZ_OPTION_FIXTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "core/base/options.h"
#include "transport/domain/transport_options.h"

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

/// Every value is text without control characters that, set again, gives the same value: a
/// configuration echo can be read back.
void CheckOptionsRoundTrip(const OptionSet& options);

/// A key, its values from inside and just outside its range.
struct KeyValues {
  std::string key;
  std::vector<std::string> values;
};
/// Of all options by all names; keys that SimAI knows and nothing uses have none.
std::vector<KeyValues> AllKeyValues();

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_OPTION_FIXTURE_H_
