// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/balance/port_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostLevel = 9;

/// Integers divided by spaces; throws UserError for anything else.
std::vector<std::int64_t> ReadIntegers(std::string_view text, std::int64_t low, std::int64_t high) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::int64_t> values;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end || value < low || value > high)
      throw UserError(
          fmt::format("'{}' is no integer from {} to {}", text.substr(at, end - at), low, high));
    values.push_back(value);
    at = end;
  }
  return values;
}

Option LevelsOption(std::string* levels) {
  Option option;
  option.key = "balance.levels";
  option.help =
      "levels of the switches that follow balance.ports, 1 for those of the GPUs, 2 for the next; "
      "the others choose by hash";
  option.range = fmt::format("all, or integers 1..{}", kMostLevel);
  option.source = "heddle";
  option.set = [levels](std::string_view text) {
    if (text != "all" && ReadIntegers(text, 1, kMostLevel).empty())
      throw UserError("all, or levels of switches");
    *levels = std::string(text);
  };
  option.get = [levels] { return *levels; };
  return option;
}

Option GradesOption(std::array<std::int64_t, 3>* grades) {
  Option option;
  option.key = "balance.grades";
  option.help =
      "adaptive: a port's bytes in queue fall into four grades; these percentages of "
      "balance.grade_full divide them";
  option.unit = "percent";
  option.range = "three integers 0..100, ascending";
  option.source = "uet-htsim: 5, 10, 20 % of a queue's limit";
  option.set = [grades](std::string_view text) {
    const std::vector<std::int64_t> read = ReadIntegers(text, 0, 100);
    if (read.size() != grades->size() || !std::is_sorted(read.begin(), read.end()))
      throw UserError("three ascending integers from 0 to 100");
    std::copy(read.begin(), read.end(), grades->begin());
  };
  option.get = [grades] { return fmt::format("{}", fmt::join(*grades, " ")); };
  return option;
}

}  // namespace

void PortOptions::Declare(OptionSet* options) {
  options->AddGroup(
      {"balance", "how switches choose among equally good ports", "docs/models/balancing.md"});
  options->Add(
      {"balance.ports", "",
       "how a switch chooses the port of a data packet: hash of its flow; for each packet "
       "random, round-robin or adaptive (least loaded grade); flowlet and adaptive-flowlet: "
       "a flow moves after a gap only. ACKs always go by hash",
       "", "RFC 2992; Vanini et al., NSDI 2017; NVIDIA Spectrum"},
      &scheme);
  options->Add({"balance.weighted", "",
                "hash, random and flowlet: ports are taken in proportion to what their links and "
                "the switches behind them carry towards the destination (WCMP)",
                "", "Zhou et al., EuroSys 2014"},
               &weighted);
  options->Add(LevelsOption(&levels));
  options->Add({"balance.flowlet_gap", "",
                "silence of a flow after which its next packet may take another port", "us",
                "Song et al. (ConWeave), SIGCOMM 2023: 100 us for RDMA"},
               &gap, NanoSeconds(1), MicroSeconds(1'000'000), "us");
  options->Add(
      {"balance.flowlet_table", "",
       "entries of a switch's table of flowlets, found by the hash of the flow; flows that "
       "meet in one share it",
       "", "heddle; Broadcom DLB: 256 for each group of ports"},
      &flowlets, 1, 1 << 20);
  options->Add(GradesOption(&grades));
  options->Add({"balance.grade_full", "",
                "bytes in queue that count as 100 percent; 0: the fabric's largest bandwidth-delay "
                "product",
                "byte", "uet-htsim: a queue's limit, one bandwidth-delay product"},
               &grade_full, 0, std::int64_t{1} << 32);
}

bool PortOptions::AppliesTo(std::uint32_t level) const {
  if (levels == "all") return true;
  const std::vector<std::int64_t> chosen = ReadIntegers(levels, 1, kMostLevel);
  return std::find(chosen.begin(), chosen.end(), level) != chosen.end();
}

}  // namespace heddle
