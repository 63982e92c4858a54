// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/simai_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/studies/analytical/busbw_file.h"
#include "core/options/nearest_name.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

using Given = SimaiArguments;

enum : std::uint8_t { kIn10 = 1, kIn16 = 2, kInBoth = 3 };

/// One flag: its names, who takes it, and where its value goes.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order in which rows are written
struct Row {
  const char* name;
  const char* long_name;
  std::uint8_t programs;
  const char* help;
  std::string Given::*text = nullptr;
  int Given::*number = nullptr;
  float Given::*rate = nullptr;
  float SimaiOverlaps::*overlap = nullptr;
  bool Given::*flag = nullptr;  ///< without a value
};

constexpr const char* kGpus = "-g";
constexpr const char* kBandwidths = "-busbw";
constexpr const char* kVisual = "-v";

const Row kRows[] = {
    {"-h", "--help", kInBoth, "this text", nullptr, nullptr, nullptr, nullptr, &Given::help},
    {"-w", "--workload", kInBoth, "workload", &Given::workload},
    {kGpus, "--gpus", kInBoth, "GPUs"},
    {"-g_p_s", "--gpus-per-server", kInBoth, "GPUs of a server", nullptr, &Given::gpus_per_server},
    {"-r", "--result", kInBoth, "names of outputs below ./results begin with it", &Given::result},
    {"-r_f", "--result_folder", kIn16, "folder below ./results", &Given::folder},
    {kBandwidths, "--bus-bandwidth", kIn10, "busbw.yaml"},
    {"-nv", "--nvlink", kIn16, "bus bandwidth of a GPU's NVLinks [2^30 B/s]", nullptr, nullptr,
     &Given::nvlink},
    {"-nic", "--nic_busbw", kIn16, "bus bandwidth of a NIC [2^30 B/s]", nullptr, nullptr,
     &Given::nic},
    {"-n_p_s", "--nic_per_server", kIn16, "NICs of a server", nullptr, &Given::nics_per_server},
    {"-nic_t", "--nic_type", kIn16, "cx6, cx7 or bf3, without -nic", &Given::nic_type},
    {"-g_type", "--gpu_type", kIn16, "A100, A800, H100, H800 or H20, without -nv",
     &Given::gpu_type},
    {kVisual, "--visual", kInBoth, "a chart too"},
    {"-l", "--lang", kIn16, "en or ja, of the chart", &Given::language},
    {"-dp_o", "--dp_overlap", kIn16, "hidden share of DP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::data},
    {"-tp_o", "--tp_overlap", kIn16, "hidden share of TP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::tensor},
    {"-ep_o", "--ep_overlap", kIn16, "hidden share of EP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::expert},
    {"-pp_o", "--pp_overlap", kIn16, "hidden share of PP, and its bandwidth", nullptr, nullptr,
     nullptr, &SimaiOverlaps::pipeline},
    {"-dp_o", "--dp-overlap-ratio", kIn10, "hidden share of DP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::data},
    {"-tp_o", "--tp-overlap-ratio", kIn10, "hidden share of TP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::tensor},
    {"-ep_o", "--ep-overlap-ratio", kIn10, "hidden share of EP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::expert},
    {"-pp_o", "--pp-overlap-ratio", kIn10, "hidden share of PP", nullptr, nullptr, nullptr,
     &SimaiOverlaps::pipeline},
    {"--force", "--force", kInBoth, "heddle's own: replace existing outputs", nullptr, nullptr,
     nullptr, nullptr, &Given::force},
};

bool Has(const Row& row, SimaiProgram program) {
  return (row.programs & (program == SimaiProgram::kManual10 ? kIn10 : kIn16)) != 0;
}

const char* NameOf(SimaiProgram program) {
  return program == SimaiProgram::kManual10 ? "SimAI 1.0" : "SimAI 1.6";
}

const Row& FindRow(SimaiProgram program, const std::string& word) {
  std::vector<std::string> known;
  for (const Row& row : kRows) {
    if (!Has(row, program)) continue;
    if (word == row.name || word == row.long_name) return row;
    known.insert(known.end(), {row.name, row.long_name});
  }
  throw SimaiRefusal(kSimaiUsage,
                     fmt::format("unknown flag '{}' of {}.{} Expected: its flags (-h lists them)",
                                 Printable(word), NameOf(program), DidYouMean(word, known)));
}

/// As std::stoi and std::stof: what a word begins with.
template <class Number>
Number Leading(const std::string& flag, const std::string& word,
               Number (*parse)(const std::string&)) {
  try {
    return parse(word);
  } catch (const std::exception&) {
    throw UserError(fmt::format("{}: '{}'; SimAI crashes there (SIGABRT). Expected: a number", flag,
                                Printable(word)));
  }
}

int LeadingInt(const std::string& flag, const std::string& word) {
  return Leading<int>(flag, word, [](const std::string& text) { return std::stoi(text); });
}

float LeadingFloat(const std::string& flag, const std::string& word) {
  return Leading<float>(flag, word, [](const std::string& text) { return std::stof(text); });
}

void ReadBandwidths(const std::string& path, BusBandwidthFile* bandwidths) {
  std::string text;
  try {
    text = ReadTextFile(path);
  } catch (const UserError& error) {
    throw SimaiRefusal(kSimaiUsage, error.what());
  }
  ParseBusBandwidthFile(text, path, bandwidths);
}

void Apply(const Row& row, const std::string& word, Given* given) {
  const std::string flag = row.name;
  if (flag == kGpus) given->gpus.push_back(LeadingInt(flag, word));
  if (flag == kBandwidths) ReadBandwidths(word, &given->bandwidths);
  if (flag == kVisual) given->chart = LeadingInt(flag, word) != 0;
  if (row.text != nullptr) given->*row.text = word;
  if (row.number != nullptr) given->*row.number = LeadingInt(flag, word);
  if (row.rate != nullptr) given->*row.rate = LeadingFloat(flag, word);
  if (row.overlap != nullptr) given->overlaps.*row.overlap = LeadingFloat(flag, word);
}

/// Sizes that SimAI divides by, or reads although there are none.
void CheckSizes(const Given& given) {
  if (given.gpus.empty())
    throw UserError("-g is not given; SimAI crashes there (SIGSEGV). Expected: -g GPUS");
  if (given.gpus_per_server == 0)
    throw UserError(
        "-g_p_s is 0 or not given; SimAI crashes there (SIGFPE). Expected: GPUs of a server");
  if (given.gpus.front() < 1)
    throw UserError(fmt::format("-g: found {}; SimAI crashes there. Expected: 1 GPU or more",
                                given.gpus.front()));
}

}  // namespace

SimaiProgram ParseSimaiProgram(const std::string& text) {
  if (text == "simai-analytical-1.6") return SimaiProgram::kAutomatic16;
  if (text == "simai-analytical-1.0") return SimaiProgram::kManual10;
  throw UsageError(
      fmt::format("--compat: found '{}'. Expected: simai-analytical-1.6 or simai-analytical-1.0",
                  Printable(text)));
}

SimaiArguments ParseSimaiArguments(SimaiProgram program, const std::vector<std::string>& words) {
  Given given;
  given.program = program;
  const bool old = program == SimaiProgram::kManual10;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Row& row = FindRow(program, words[i]);
    if (row.flag != nullptr) {
      given.*row.flag = true;
      if (given.help) return given;
      continue;
    }
    if (old && std::string(row.name) == kVisual) {
      given.chart = true;
      continue;
    }
    if (++i < words.size()) {
      Apply(row, words[i], &given);
    } else if (old) {
      throw SimaiRefusal(kSimaiUsage,
                         fmt::format("{} has no value. Expected: a value", words.back()));
    }
  }
  CheckSizes(given);
  return given;
}

std::string SimaiHelp(SimaiProgram program) {
  std::string text = "Usage: heddle analytical --compat PROGRAM [FLAG VALUE]...\n\n";
  for (const Row& row : kRows) {
    if (Has(row, program))
      text += fmt::format("  {:<8} {:<20} {}\n", row.name, row.long_name, row.help);
  }
  return text;
}

}  // namespace heddle
