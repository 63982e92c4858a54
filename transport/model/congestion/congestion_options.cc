// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/congestion_options.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <utility>

#include "core/options/nearest_name.h"
#include "core/options/options.h"

namespace heddle {
namespace {

struct Mode {
  int number;
  const char* name;
};

template <class... Algorithm>
constexpr std::array<Mode, sizeof...(Algorithm)> ModesOf(
    const std::variant<Algorithm...>* /*list*/) {
  return {Mode{Algorithm::kMode, Algorithm::kName}...};
}
constexpr auto kModes = ModesOf(static_cast<const CongestionAlgorithms*>(nullptr));

constexpr bool Ascending() {
  for (std::size_t i = 1; i < kModes.size(); ++i) {
    if (kModes[i - 1].number >= kModes[i].number) return false;
  }
  return true;
}
static_assert(Ascending(),
              "CongestionAlgorithms is in the order of kMode, each of which is unique");

}  // namespace

std::string CongestionModes() {
  std::string text;
  for (const Mode& mode : kModes)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", mode.number, mode.name);
  return text;
}

void CongestionOptions::Declare(OptionSet* options) {
  Option choice;
  choice.key = "transport.congestion_control";
  choice.simai_key = "CC_MODE";
  choice.help = "congestion control, by SimAI's number or by name";
  choice.range = CongestionModes();
  for (const Mode& known : kModes) choice.choices.push_back(fmt::format("{}", known.number));
  for (const Mode& known : kModes) choice.choices.emplace_back(known.name);
  choice.source = "SimAI.conf";
  choice.get = [this] { return fmt::format("{}", mode); };
  choice.set = [this](std::string_view text) {
    for (const Mode& known : kModes) {
      if (text == fmt::format("{}", known.number) || EqualLetters(text, known.name)) {
        mode = known.number;
        return;
      }
    }
    throw UserError("one of " + CongestionModes());
  };
  options->Add(std::move(choice));
  rates.Declare(options);
  std::apply([options](auto&... algorithm) { (algorithm.options.Declare(options), ...); }, own);
  options->AddUnused(
      {"INT_MULTI", "it scales SimAI's narrow telemetry fields; here telemetry is exact"});
}

}  // namespace heddle
