// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of option values, "KEY=VALUE" as for --set: a rejected value must change nothing; an
/// accepted one can be read back.
#include <utility>

#include "core/options/options.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/option_fixture.h"

namespace heddle {
namespace {

std::vector<std::string> Values(const OptionSet& options) {
  std::vector<std::string> values;
  for (const Option& option : options.options()) values.push_back(option.get());
  return values;
}

bool Check(const std::string& text) {
  OptionFixture fixture;
  static const std::vector<std::string> defaults = Values(fixture.options);
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
  if (Accepts({"", /*remedy=*/false},
              [&] { fixture.options.Set(text.substr(0, equals), value); })) {
    CheckOptionsRoundTrip(fixture.options);
    return true;
  }
  if (Values(fixture.options) != defaults)
    Complain("a value was refused and changed an option all the same");
  return false;
}

std::string Make(Mutator* mutator) {
  static const std::vector<KeyValues> keys = AllKeyValues();
  const KeyValues& key = mutator->Pick(keys);
  std::string value = mutator->Pick(key.values);
  if (mutator->Chance(4))
    value = mutator->Chance(2) ? mutator->Word() : mutator->Pick(mutator->Pick(keys).values);
  if (mutator->Chance(5)) value = mutator->Damage(std::move(value));
  return (mutator->Chance(10) ? mutator->Damage(key.key) : key.key) + "=" + value;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "option_value";
  reader.check = &Check;
  reader.make = &Make;
  reader.accepted_one_in = 10;
  for (const KeyValues& key : AllKeyValues()) {
    reader.words.push_back(key.key);
    reader.seeds.push_back(key.key + "=" + key.values.front());
  }
  return reader;
}

}  // namespace heddle
