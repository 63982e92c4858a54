// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/busbw_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/base/check.h"
#include "core/options/token_reader.h"
#include "io/input/text_file.h"

namespace heddle {
namespace {

/// The group's place of a key; null: none.
float* PlaceOf(const std::string& key, GivenBandwidths* group) {
  if (key == "allreduce") return &group->all_reduce;
  if (key == "allgather") return &group->all_gather;
  if (key == "reducescatter") return &group->reduce_scatter;
  if (key == "alltoall") return &group->all_to_all;
  return nullptr;
}

float* PlaceOf(const std::string& section, const std::string& key, BusBandwidthFile* bandwidths) {
  if (section == "TP") return PlaceOf(key, &bandwidths->tensor);
  if (section == "DP") return PlaceOf(key, &bandwidths->data);
  if (section == "EP") return PlaceOf(key, &bandwidths->expert);
  if (section == "PP" && key == "busbw") return &bandwidths->pipeline;
  return nullptr;
}

/// Without blanks at its ends; tabs stay.
std::string WithoutBlanks(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(' ') + 1 - first);
}

/// As std::stof: the number that the word begins with.
float LeadingNumber(const std::string& word, const SourceLine& where) {
  try {
    return std::stof(word);
  } catch (const std::exception&) {
    FailInput(where, fmt::format("{}; SimAI crashes there (SIGABRT)", Quote(word)),
              "a bandwidth in GB/s, or null");
  }
}

/// A line of a section, checked.
void ReadCheckedValue(std::string_view line, const std::string& section, const SourceLine& where,
                      BusBandwidthFile* bandwidths) {
  const std::size_t colon = line.find(':');
  const std::string key(Trim(line.substr(0, std::min(colon, line.find(',')))));
  float* const place = PlaceOf(section, key, bandwidths);
  if (colon == std::string_view::npos || place == nullptr)
    FailInput(where, fmt::format("{} in section {}", Quote(line), Quote(section)),
              "allreduce, allgather, reducescatter or alltoall with ,: and a value; of PP busbw");
  const std::string_view word = Trim(line.substr(colon + 1));
  if (word == "null") return;
  const std::optional<float> value = ReadNumber<float>(word);
  if (!value || !(*value > 0) || *value > 1e6F)
    FailInput(where, Quote(word), "a bandwidth above 0 and up to 1e6 GB/s, or null");
  *place = *value;
}

void ReadValue(const std::string& line, const std::string& section, const SourceLine& where,
               BusBandwidthFile* bandwidths) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return;
  std::istringstream behind(line.substr(colon + 1));
  std::string value;
  if (!(behind >> value) || value == "null") return;
  std::string key = WithoutBlanks(line.substr(0, colon));
  key = key.substr(0, key.find(','));
  const float number = LeadingNumber(value, where);
  if (float* const place = PlaceOf(section, key, bandwidths)) *place = number;
}

}  // namespace

void ParseBusBandwidthFile(const std::string& text, const std::string& name,
                           BusBandwidthFile* bandwidths) {
  std::istringstream lines(text);
  std::string line, section;
  std::getline(lines, line);
  for (std::int64_t number = 2; std::getline(lines, line); ++number) {
    line = WithoutBlanks(line);
    if (line.empty() || line.front() == '#') continue;
    if (line.back() == ':') {
      section = line.substr(0, line.size() - 1);
    } else {
      ReadValue(line, section, {name, number}, bandwidths);
    }
  }
}

BusBandwidthFile CheckedBusBandwidthFile(const std::string& text, const std::string& name) {
  BusBandwidthFile bandwidths;
  LineReader lines(text, name);
  std::string section;
  for (std::string_view line; lines.NextFilled(&line);) {
    line = WithoutComment(line);
    if (line.empty()) continue;
    if (line.back() != ':') {
      if (lines.number() > 1)  // SimAI's files begin with a line of any text
        ReadCheckedValue(line, section, lines.where(), &bandwidths);
      continue;
    }
    section = line.substr(0, line.size() - 1);
    if (section != "TP" && section != "DP" && section != "EP" && section != "PP")
      FailInput(lines.where(), "section " + Quote(section), "TP, DP, EP or PP");
  }
  return bandwidths;
}

}  // namespace heddle
