// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string_view>

namespace heddle {
namespace {

constexpr std::size_t kMostWarnings = 20;
constexpr std::string_view kAttempt = "$ ", kOwn = "heddle: ", kWarning = "warning: ",
                           kNote = "note: ", kExpected = "expected ", kTime = "t=";

/// Removes `beginning` from `text` if it begins so.
bool Take(std::string_view beginning, std::string_view* text) {
  if (text->substr(0, beginning.size()) != beginning) return false;
  text->remove_prefix(beginning.size());
  return true;
}

bool HasLetters(const std::string& line) {
  return std::any_of(line.begin(), line.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

RunLog ReadRunLog(std::istream& lines) {
  RunLog log;
  for (std::string line; std::getline(lines, line);) {
    std::string_view text = line;
    if (Take(kAttempt, &text)) {
      log = {};
    } else if (!Take(kOwn, &text)) {
      if (HasLetters(line)) log.last_line = line;
      if (text.substr(0, kTime.size()) == kTime) log.progress = line;
      if (Take(kExpected, &text)) {
        text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
        log.expected = text;
      }
    } else if (Take(kWarning, &text)) {
      const std::string warning(text);
      if (std::find(log.warnings.begin(), log.warnings.end(), warning) == log.warnings.end())
        log.warnings.push_back(warning);
    } else if (log.reason.empty() && !Take(kNote, &text)) {
      log.reason = text;
    }
  }
  if (!log.reason.empty() && log.reason.back() == ':') log.reason.pop_back();  // a list follows
  return log;
}

RunLog ReadRunLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return ReadRunLog(file);
}

std::string AttemptLine(const std::string& command) {
  return std::string(kAttempt) + command + "\n";
}

void WarningCount::Add(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    const auto known = std::find_if(seen_.begin(), seen_.end(),
                                    [&](const Seen& one) { return one.warning == warning; });
    if (known != seen_.end()) {
      ++known->runs;
    } else if (seen_.size() < kMostWarnings) {
      seen_.push_back({warning, 1});
    } else {
      ++others_;
    }
  }
}

std::vector<std::string> WarningCount::Lines(std::size_t runs) const {
  std::vector<std::string> lines;
  for (const Seen& one : seen_) {
    lines.push_back(runs == 1 ? one.warning
                              : fmt::format("{} ({} of {} runs)", one.warning, one.runs, runs));
  }
  if (others_ > 0) lines.push_back(fmt::format("{} more in the logs of the runs", others_));
  return lines;
}

}  // namespace heddle
