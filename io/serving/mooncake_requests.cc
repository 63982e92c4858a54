// SPDX-License-Identifier: GPL-2.0-only
/// Mooncake's traces: {"timestamp": 3000, "input_length": 1100, "output_length": 20,
/// "hash_ids": [0, 1, 7]} on each line.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/options/nearest_name.h"
#include "io/input/text_file.h"
#include "io/serving/request_formats.h"
#include "io/serving/request_rows.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

const std::vector<std::string>& MooncakeKeys() {
  static const std::vector<std::string> keys = {"timestamp", "input_length", "output_length",
                                                "hash_ids"};
  return keys;
}

constexpr const char* kMooncakeLine =
    R"({"timestamp": MS, "input_length": TOKENS, "output_length": TOKENS, "hash_ids": [...]})";

void CheckMooncakeKeys(const Json& row, const SourceLine& where) {
  if (!row.is_object()) FailInput(where, "no object of JSON", kMooncakeLine);
  for (const auto& [key, value] : row.items()) {
    const std::vector<std::string>& known = MooncakeKeys();
    if (std::find(known.begin(), known.end(), key) == known.end())
      FailInput(where, fmt::format("unknown column '{}'{}", Printable(key), NearestIs(key, known)),
                kMooncakeLine);
  }
}

/// A whole number from 0 on. Throws UserError for others, and if it is missing.
std::int64_t WholeOf(const Json& row, const char* key, const SourceLine& where) {
  const auto found = row.find(key);
  if (found == row.end()) FailInput(where, fmt::format("no {}", key), kMooncakeLine);
  const bool fits =
      found->is_number_integer() &&
      !(found->is_number_unsigned() && found->get<std::uint64_t>() > std::uint64_t{1} << 62);
  if (!fits || found->get<std::int64_t>() < 0)
    FailInput(where, fmt::format("{} {}", key, Printable(found->dump(-1, ' ', true))),
              "a whole number from 0 on");
  return found->get<std::int64_t>();
}

/// Names the blocks of prompts: equal names for blocks with equal numbers whose predecessors are
/// equal, too.
class BlockNames {
 public:
  /// Returns the names of the full blocks of a prompt of `input` tokens. Throws UserError for
  /// hash_ids that are none, or another number of them than the prompt has blocks; an empty
  /// list names nothing.
  std::vector<std::uint32_t> Read(const Json& row, std::int64_t input, const SourceLine& where) {
    const auto found = row.find("hash_ids");
    if (found == row.end()) return {};
    bool fits = found->is_array();
    for (std::size_t i = 0; fits && i < found->size(); ++i) fits = (*found)[i].is_number_unsigned();
    if (!fits) FailInput(where, "hash_ids that are no list of numbers", "hash_ids: [0, 1, 7]");
    const auto blocks =
        static_cast<std::size_t>((input + kPromptBlockTokens - 1) / kPromptBlockTokens);
    if (found->empty()) return {};
    if (found->size() != blocks)
      FailInput(where, fmt::format("{} hash_ids for {} tokens", found->size(), input),
                fmt::format("{}: one for each {} tokens", blocks, kPromptBlockTokens));
    std::vector<std::uint32_t> names;
    const auto full = static_cast<std::size_t>(input / kPromptBlockTokens);
    std::uint32_t previous = kFront;
    for (std::size_t i = 0; i < full; ++i) {
      previous = NameOf(previous, (*found)[i].get<std::uint64_t>());
      names.push_back(previous);
    }
    return names;
  }

 private:
  static constexpr std::uint32_t kFront = ~0U;  ///< before the first block of a prompt

  std::uint32_t NameOf(std::uint32_t previous, std::uint64_t number) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    return names_.try_emplace({previous, number}, next).first->second;
  }

  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> names_;
};

}  // namespace

RequestFile ParseMooncakeRequests(std::string_view text, const std::string& name) {
  RequestRows rows("Mooncake");
  BlockNames names;
  LineReader lines(text, name);
  std::string_view line;
  while (lines.NextFilled(&line)) {
    const SourceLine where = lines.where();
    const Json row = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (row.is_discarded()) FailInput(where, "no JSON", kMooncakeLine);
    CheckMooncakeKeys(row, where);
    const std::int64_t ms = WholeOf(row, "timestamp", where);
    constexpr std::int64_t kMostMs = 9'000'000'000;  // 104 days
    if (ms > kMostMs) FailInput(where, fmt::format("timestamp {}", ms), "ms from the start");
    const std::int64_t input =
        CheckTokens(WholeOf(row, "input_length", where), "input_length", where);
    const std::int64_t output =
        CheckTokens(WholeOf(row, "output_length", where), "output_length", where);
    rows.Add(MicroSeconds(ms * 1000), input, output, where, names.Read(row, input, where));
  }
  return rows.Finish(lines.whole_file());
}

}  // namespace heddle
