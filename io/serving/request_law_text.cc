// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/request_law_text.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/options/enum_words.h"
#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

[[noreturn]] void FailLaw(const std::string& found, const std::string& expected) {
  throw UserError(fmt::format("--requests: {}. Expected: {}", found, expected));
}

double NumberOf(const std::string& key, std::string_view value, double low, double high) {
  const auto number = ReadNumber<double>(value);
  if (!number || !(*number >= low && *number <= high))
    FailLaw(fmt::format("{}={}", key, Printable(value)),
            fmt::format("a number from {} to {}", low, high));
  return *number;
}

std::int64_t WholeOfLaw(const std::string& key, std::string_view value, std::int64_t high) {
  const auto number = ReadNumber<std::int64_t>(value);
  if (!number || *number < 1 || *number > high)
    FailLaw(fmt::format("{}={}", key, Printable(value)),
            fmt::format("a whole number from 1 to {}", high));
  return *number;
}

LengthLaw LengthOf(const std::string& key, std::string_view value) {
  LengthLaw law;
  const std::size_t colon = value.find(':');
  if (colon == value.npos) {
    law.low = law.high = WholeOfLaw(key, value, kMostTokens);
    return law;
  }
  const auto kind = FindWord<LengthLaw::Kind>(value.substr(0, colon));
  const std::string_view rest = value.substr(colon + 1);
  if (!kind)
    FailLaw(fmt::format("{}={}", key, Printable(value)), "N, uniform:A-B or exponential:MEAN");
  law.kind = *kind;
  const std::size_t dash = law.kind == LengthLaw::Kind::kUniform ? rest.find('-') : rest.npos;
  law.low = law.high = WholeOfLaw(key, rest.substr(0, dash), kMostTokens);
  if (law.kind != LengthLaw::Kind::kUniform) return law;
  if (dash == rest.npos)
    FailLaw(fmt::format("{}={}", key, Printable(value)), "uniform:A-B, such as uniform:64-256");
  law.high = WholeOfLaw(key, rest.substr(dash + 1), kMostTokens);
  if (law.high < law.low)
    FailLaw(fmt::format("{}={}", key, Printable(value)), "uniform:A-B with A at most B");
  return law;
}

void SetKey(const std::string& key, std::string_view value, RequestLaw* law) {
  if (key == "rate") {
    constexpr double kPicoseconds = 1e12;
    law->gap = Time{std::llround(kPicoseconds / NumberOf(key, value, 1e-4, 1e9))};
  } else if (key == "shape") {
    law->shape = NumberOf(key, value, 0.01, 1000);
  } else if (key == "count") {
    law->count = WholeOfLaw(key, value, kMostRequests);
  } else if (key == "input") {
    law->input = LengthOf(key, value);
  } else if (key == "output") {
    law->output = LengthOf(key, value);
  } else {
    FailLaw(fmt::format("unknown key '{}'{}", Printable(key),
                        NearestIs(key, {"rate", "shape", "count", "input", "output"})),
            "rate, shape, count, input, output");
  }
}

}  // namespace

bool IsRequestLaw(const std::string& text) {
  return FindWord<ArrivalLaw>(text.substr(0, text.find(','))).has_value();
}

std::string WithRate(const std::string& text, double rate) {
  const std::string key = ",rate=";
  const std::size_t begin = text.find(key);
  if (begin == std::string::npos) return text + fmt::format(",rate={}", rate);
  const std::size_t value = begin + key.size(), end = std::min(text.find(',', value), text.size());
  return text.substr(0, value) + fmt::format("{}", rate) + text.substr(end);
}

RequestLaw ParseRequestLaw(const std::string& text) {
  std::string_view rest = text;
  const std::size_t comma = rest.find(',');
  RequestLaw law;
  law.arrivals = FindWord<ArrivalLaw>(rest.substr(0, comma)).value_or(ArrivalLaw::kPoisson);
  std::set<std::string> given;
  rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const std::size_t equals = word.find('=');
    const std::string key(word.substr(0, equals));
    if (equals == word.npos) FailLaw(fmt::format("'{}'", Printable(word)), "KEY=VALUE");
    if (!given.insert(key).second) FailLaw(key + " a second time", "each key once");
    SetKey(key, word.substr(equals + 1), &law);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  for (const char* key : {"rate", "count", "input", "output"}) {
    if (given.count(key) == 0)
      FailLaw(fmt::format("no {} in '{}'", key, Printable(text)),
              "LAW,rate=R,count=N,input=TOKENS,output=TOKENS");
  }
  if (law.arrivals != ArrivalLaw::kGamma && given.count("shape") > 0)
    FailLaw("shape without gamma", "gamma,shape=S,...");
  return law;
}

}  // namespace heddle
