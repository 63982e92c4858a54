// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the configuration reader: it sets values that can be read back, or names file and
/// line.
#include "io/simai/simai_conf.h"
#include "tests/fuzz/reader_fuzz.h"
#include "tests/fuzz/readers/option_fixture.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.conf";

bool Check(const std::string& text) {
  OptionFixture fixture;
  const bool accepted =
      Accepts({kFile, /*remedy=*/false}, [&] { ParseSimaiConf(text, kFile, &fixture.options); });
  if (accepted) {
    CheckOptionsRoundTrip(fixture.options);
  } else if (!NamesLine(LastRefusal(), kFile, text)) {
    Complain("no file and line in the message: " + LastRefusal());
  }
  return accepted;
}

/// A line of a file, or a key and one of its values or a value of another key.
std::string Line(Mutator* mutator) {
  static const std::vector<KeyValues> keys = AllKeyValues();
  if (mutator->Chance(3)) return mutator->Line();
  const KeyValues& key = mutator->Pick(keys);
  const KeyValues& of = mutator->Chance(6) ? mutator->Pick(keys) : key;
  const std::string& value = mutator->Chance(6) ? mutator->Word() : mutator->Pick(of.values);
  return key.key + (mutator->Chance(10) ? "\t " : " ") + value +
         (mutator->Chance(15) ? " # why" : "");
}

std::string Make(Mutator* mutator) {
  if (mutator->Chance(3)) return mutator->Text();
  std::string text;
  for (std::size_t i = mutator->Below(12); i > 0; --i)
    text += Line(mutator) + (mutator->Chance(20) ? "\r\n" : "\n");
  return mutator->Chance(2) ? mutator->Damage(std::move(text)) : text;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "simai_conf";
  reader.check = &Check;
  reader.make = &Make;
  reader.accepted_one_in = 50;
  for (const KeyValues& key : AllKeyValues()) reader.words.push_back(key.key);
  return reader;
}

}  // namespace heddle
