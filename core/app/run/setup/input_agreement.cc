// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/input_agreement.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/app/base/cli/build_info.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/rank_lines.h"
#include "core/app/run/arguments/input_files.h"

namespace heddle {
namespace {

constexpr const char* kUnreadable = "cannot be read";

void AddFile(const InputFile& file, std::vector<SharedInput>* inputs) {
  if (IsReadOnce(file.path)) return;
  try {
    inputs->push_back({file.path, "digest " + DigestOf(file)});
  } catch (const UserError&) {
    inputs->push_back(
        {file.path, kUnreadable});  // on all ranks; the code that reads the file reports the reason
  }
}

std::string Host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Texts, each followed by a zero byte.
std::vector<char> Pack(const RankInputs& mine) {
  std::string text = mine.host + '\0';
  for (const SharedInput& input : mine.inputs) text += input.name + '\0' + input.content + '\0';
  return {text.begin(), text.end()};
}

RankInputs Unpack(const std::vector<char>& bytes) {
  std::vector<std::string> texts;
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto end = std::find(at, bytes.end(), '\0');
    texts.emplace_back(at, end);
    at = end == bytes.end() ? end : end + 1;
  }
  RankInputs rank;
  if (!texts.empty()) rank.host = texts[0];
  for (std::size_t i = 1; i + 1 < texts.size(); i += 2)
    rank.inputs.push_back({texts[i], texts[i + 1]});
  return rank;
}

/// The input at position `at` of a rank's list. The lists of all ranks agree up to the first
/// difference.
SharedInput InputAt(const RankInputs& rank, std::size_t at) {
  return at < rank.inputs.size() ? rank.inputs[at] : SharedInput{"", "not there"};
}

}  // namespace

std::vector<SharedInput> GivenInputs(const RunArguments& run) {
  std::string words;
  for (const std::string& word : run.words) words += (words.empty() ? "" : " ") + word;
  std::vector<SharedInput> inputs = {
      {"the program", VersionText() + ", " + GetBuildInfo().compiler}, {"the command line", words}};
  for (const InputFile& file : InputFiles(run)) AddFile(file, &inputs);
  return inputs;
}

std::vector<SharedInput> DerivedInputs(const RunInput& input) {
  std::string options;
  for (const Option& option : input.options.options())
    options += option.key + '=' + option.get() + '\n';
  std::vector<std::uint32_t> domains, ranks;
  for (const DomainId domain : input.domains.domain_of) domains.push_back(domain.value);
  for (const RankId rank : input.assignment) ranks.push_back(rank.value);
  return {{"the options (--set, -c, environment)",
           "digest " + BytesDigest(options.data(), options.size())},
          {"the division into domains",
           "digest " + BytesDigest(domains.data(), domains.size() * sizeof domains[0])},
          {"the partition (--partition)",
           "digest " + BytesDigest(ranks.data(), ranks.size() * sizeof ranks[0])}};
}

std::string DescribeDifference(const std::vector<RankInputs>& ranks) {
  const RankInputs& root = ranks[0];
  const auto same = [](const SharedInput& a, const SharedInput& b) {
    return a.name == b.name && a.content == b.content;
  };
  for (std::size_t at = 0; at < root.inputs.size(); ++at) {
    std::vector<std::uint32_t> differ;
    for (std::uint32_t rank = 1; rank < ranks.size(); ++rank) {
      if (!same(InputAt(ranks[rank], at), root.inputs[at])) differ.push_back(rank);
    }
    if (differ.empty()) continue;
    const RankInputs& first = ranks[differ[0]];
    return fmt::format(
        "{}: not the same on {} as on rank 0: rank {} on {} has '{}', rank 0 on {} has '{}'. "
        "Expected: the same "
        "on all ranks: copy it to all machines, or use a folder that they share",
        root.inputs[at].name, DescribeRanks(differ, static_cast<std::uint32_t>(ranks.size())),
        differ[0], Printable(first.host), Printable(InputAt(first, at).content, 200),
        Printable(root.host), Printable(root.inputs[at].content, 200));
  }
  return "";
}

void AgreeOnInputs(const Communicator& world, const std::vector<SharedInput>& mine) {
  if (world.size() == 1) return;
  const std::vector<std::vector<char>> packed = world.Gather(Pack({Host(), mine}));
  AgreeOnErrors(world, [&] {
    if (!world.is_root()) return;
    std::vector<RankInputs> ranks;
    for (const std::vector<char>& bytes : packed) ranks.push_back(Unpack(bytes));
    const std::string difference = DescribeDifference(ranks);
    if (!difference.empty()) throw UserError(difference);
  });
}

}  // namespace heddle
