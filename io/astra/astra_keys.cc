// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {

AstraKeys::AstraKeys(std::string_view text, const std::string& name,
                     const std::vector<AstraKey>& known, std::string kind)
    : name_(name), kind_(std::move(kind)) {
  LineReader lines(text, name);
  for (std::string_view line; lines.NextFilled(&line);) {
    line = WithoutComment(line);
    if (!line.empty()) Take(line, lines.where(), known);
  }
}

void AstraKeys::Take(std::string_view line, const SourceLine& where,
                     const std::vector<AstraKey>& known) {
  const std::size_t colon = line.find(':');
  const std::string_view name = Trim(line.substr(0, colon));
  const auto key =
      std::find_if(known.begin(), known.end(), [&](const AstraKey& k) { return name == k.name; });
  if (colon == std::string_view::npos || key == known.end()) {
    std::vector<std::string> names;
    for (const AstraKey& k : known) names.emplace_back(k.name);
    FailInput(where, Quote(name),
              fmt::format("a key of ASTRA-SIM's {} and its value, such as '{}: 8'{}", kind_,
                          names.front(), NearestIs(name, names)));
  }
  Value value{std::string(Trim(line.substr(colon + 1))), where};
  Check(*key, &value);
  if (!values_.emplace(key->name, value).second)
    FailInput(where, fmt::format("{} once more", Quote(name)), "each key once");
}

void AstraKeys::Check(const AstraKey& key, Value* value) {
  if (key.range == AstraKey::Range::kWord) return;
  if (key.range == AstraKey::Range::kShare) {
    const std::optional<double> share = ReadNumber<double>(value->text);
    if (!share || !(*share > 0 && *share <= 1))
      FailInput(value->where, fmt::format("{}: {}", key.name, Quote(value->text)),
                "a number above 0, at most 1");
    value->share = *share;
    return;
  }
  const std::int64_t least = key.range == AstraKey::Range::kPositive ? 1 : 0;
  const std::optional<std::int64_t> count = ReadNumber<std::int64_t>(value->text);
  if (!count || *count < least || *count > key.most)
    FailInput(value->where, fmt::format("{}: {}", key.name, Quote(value->text)),
              fmt::format("a whole number, {} to {}", least, key.most));
  value->count = *count;
}

const AstraKeys::Value& AstraKeys::Find(const char* key) const {
  const auto at = values_.find(key);
  if (at == values_.end())
    FailInput({name_, 0}, fmt::format("no '{}'", key),
              fmt::format("this key of ASTRA-SIM's {}", kind_));
  return at->second;
}

}  // namespace heddle
