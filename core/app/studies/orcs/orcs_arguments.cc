// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_arguments.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <cstdint>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

enum : std::uint8_t { kIn11 = 1, kIn20 = 2, kInBoth = 3 };

/// One option: where its value goes, by type.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order in which rows are written
struct Row {
  const char* name;
  char letter;  ///< 0: none
  std::uint8_t versions;
  std::string OrcsArguments::*text = nullptr;
  int OrcsArguments::*number = nullptr;
  bool OrcsArguments::*flag = nullptr;
  bool sets = true;  ///< the flag's value
};

using A = OrcsArguments;
const Row kRows[] = {
    {"help", 'h', kInBoth, nullptr, nullptr, &A::help},
    {"full-help", 0, kInBoth, nullptr, nullptr, &A::help},
    {"version", 'V', kInBoth, nullptr, nullptr, &A::version_asked},
    {"verbose", 'v', kInBoth},
    {"do_not_shuffle", 'd', kIn20, nullptr, nullptr, &A::shuffle, false},
    {"printptrn", 0, kInBoth, nullptr, nullptr, &A::print_pattern},
    {"routequal", 0, kInBoth, nullptr, nullptr, &A::check_routes},
    {"printnamelist", 0, kInBoth, nullptr, nullptr, &A::print_names},
    {"getnumlevels", 'g', kInBoth, nullptr, nullptr, &A::count_levels},
    {"checkinputfile", 0, kInBoth, nullptr, nullptr, &A::check_file},
    {"commsize", 's', kInBoth, nullptr, &A::ranks},
    {"part_commsize", 'z', kInBoth, nullptr, &A::first_ranks},
    {"num_runs", 'n', kInBoth, nullptr, &A::runs},
    {"ptrn_level", 'l', kInBoth, nullptr, &A::level},
    {"ptrn", 'p', kInBoth, &A::pattern},
    {"ptrnarg", 'a', kIn20, &A::argument},
    {"ptrnfst", 'f', kIn11, &A::first},
    {"ptrnsec", 'c', kIn11, &A::second},
    {"subset", 0, kInBoth, &A::subset},
    {"part_subset", 0, kIn20, &A::part_subset},
    {"metric", 0, kInBoth, &A::metric},
    {"input_file", 'i', kInBoth, &A::input},
    {"output_file", 'o', kInBoth, &A::output},
    {"node_ordering_file", 0, kIn20, &A::order_file},
    {"mappings", 0, kInBoth, &A::mappings},
    {"seed", 0, kInBoth},
    {"force", 0, kInBoth, nullptr, nullptr, &A::force},
};

const Words kPatterns11 = {"rand",      "null",      "bisect",    "bisect_fb_sym", "tree",
                           "bruck",     "gather",    "scatter",   "ring",          "recdbl",
                           "2neighbor", "4neighbor", "6neighbor", "ptrnvsptrn"};
const Words kPatterns20 = {"rand",     "null",          "bisect",        "bisect_fb_sym", "tree",
                           "bruck",    "gather",        "scatter",       "ring",          "recdbl",
                           "neighbor", "recvs_one_src", "recvs_all_src", "ptrnvsptrn"};
const Words kMetrics = {"sum_max_cong", "hist_max_cong", "hist_acc_band", "dep_max_delay",
                        "get_cable_cong"};
const Words kSubsets11 = {"rand", "linear_bfs"};
const Words kSubsets20 = {"rand", "linear_bfs", "guid_order_asc", "guid_order_desc"};
const Words kPartSubsets = {"rand", "linear_bfs", "guid_order_asc", "guid_order_desc", "none"};

/// The choice that `given` names or begins, if it begins one only. Throws UserError.
std::string Choose(const Row& row, const std::string& given, const Words& choices) {
  std::string found;
  std::size_t begun = 0;
  for (const std::string& choice : choices) {
    if (choice == given) return choice;
    if (choice.compare(0, given.size(), given) != 0) continue;
    ++begun;
    found = choice;
  }
  if (begun == 1) return found;
  throw UserError(fmt::format("--{}: '{}' is {}. Expected: one of {}", row.name, Printable(given),
                              begun == 0 ? "unknown" : "ambiguous", fmt::join(choices, ", ")));
}

std::string Checked(const Row& row, const std::string& given, OrcsVersion version) {
  const bool old = version == OrcsVersion::k11;
  const std::string name = row.name;
  if (name == "ptrn" || name == "ptrnfst" || name == "ptrnsec")
    return Choose(row, given, old ? kPatterns11 : kPatterns20);
  if (name == "metric") return Choose(row, given, kMetrics);
  if (name == "subset") return Choose(row, given, old ? kSubsets11 : kSubsets20);
  if (name == "part_subset") return Choose(row, given, kPartSubsets);
  return given;
}

template <class Number>
Number ParseNumber(const Row& row, const std::string& text) {
  const auto number = ReadNumber<Number>(text);
  if (!number)
    throw UserError(fmt::format("--{}: '{}'. Expected: an integer", row.name, Printable(text)));
  return *number;
}

bool TakesValue(const Row& row) {
  return row.text != nullptr || row.number != nullptr || std::string(row.name) == "seed";
}

void Apply(const Row& row, const char* value, OrcsArguments* given) {
  if (row.flag != nullptr) given->*row.flag = row.sets;
  if (row.number != nullptr) given->*row.number = ParseNumber<int>(row, value);
  if (row.text != nullptr) given->*row.text = Checked(row, value, given->version);
  if (std::string(row.name) == "seed") given->seed = ParseNumber<unsigned long long>(row, value);
  given->pattern_given = given->pattern_given || row.text == &A::pattern;
  given->argument_given = given->argument_given || row.text == &A::argument;
}

bool Has(const Row& row, OrcsVersion version) {
  return (row.versions & (version == OrcsVersion::k11 ? kIn11 : kIn20)) != 0;
}

}  // namespace

OrcsArguments ParseOrcsArguments(OrcsVersion version, const std::vector<std::string>& words) {
  OrcsArguments given;
  given.version = version;
  std::vector<option> options;
  std::string letters = ":";
  for (int i = 0; i < static_cast<int>(std::size(kRows)); ++i) {
    const Row& row = kRows[i];
    if (!Has(row, version)) continue;
    // Numbers of rows lie beyond those of letters.
    options.push_back(
        {row.name, TakesValue(row) ? required_argument : no_argument, nullptr, 1000 + i});
    if (row.letter == 0) continue;
    letters += row.letter;
    if (TakesValue(row)) letters += ':';
  }
  options.push_back({nullptr, 0, nullptr, 0});
  std::vector<std::string> copies = {"orcs"};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  optind = 0;  // begins anew, also with the order of words (glibc)
  for (int found; (found = getopt_long(static_cast<int>(copies.size()), argv.data(),
                                       letters.c_str(), options.data(), nullptr)) != -1;) {
    const std::string word = argv[optind - 1] == nullptr ? "" : argv[optind - 1];
    if (found == '?' || found == ':')
      throw UserError(fmt::format("option '{}' {}. Expected: an option of {} (--help lists them)",
                                  Printable(word), found == ':' ? "needs a value" : "is unknown",
                                  version == OrcsVersion::k11 ? "ORCS 1.1" : "ORCS 2.0"));
    const Row* row = found >= 1000 ? &kRows[found - 1000]
                                   : std::find_if(std::begin(kRows), std::end(kRows),
                                                  [&](const Row& r) { return r.letter == found; });
    Apply(*row, optarg, &given);
  }
  if (optind < static_cast<int>(copies.size()))
    throw UserError(fmt::format("word '{}'. Expected: options only",
                                Printable(argv[static_cast<std::size_t>(optind)])));
  return given;
}

OrcsVersion ParseOrcsVersion(const std::string& text) {
  if (text == "orcs-1.1") return OrcsVersion::k11;
  if (text == "orcs-2.0") return OrcsVersion::k20;
  throw UsageError(
      fmt::format("--compat: found '{}'. Expected: orcs-1.1 or orcs-2.0", Printable(text)));
}

std::string OrcsHelp(OrcsVersion version) {
  std::string text = "Usage: heddle congestion --compat VERSION [OPTION]...\n\n";
  for (const Row& row : kRows) {
    if (!Has(row, version)) continue;
    const std::string letter = row.letter == 0 ? "   " : fmt::format("-{},", row.letter);
    text += fmt::format("  {} --{}{}\n", letter, row.name, TakesValue(row) ? "=VALUE" : "");
  }
  const bool old = version == OrcsVersion::k11;
  text += fmt::format("\npatterns: {}\nmetrics: {}\nsubsets: {}\n",
                      fmt::join(old ? kPatterns11 : kPatterns20, " "), fmt::join(kMetrics, " "),
                      fmt::join(old ? kSubsets11 : kSubsets20, " "));
  return text;
}

}  // namespace heddle
