// SPDX-License-Identifier: GPL-2.0-only
/// The central controller's tables as rows, and checks of their consistency without the controller.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/simulate.h"

namespace heddle::testing {

/// A switch and one of its ports.
using PortName = std::pair<std::uint32_t, std::uint32_t>;

/// A row of /controller/requests with its rows of /controller/paths.
struct Choice {
  std::uint32_t source = 0, destination = 0, request = 0;
  int cause = 0, outcome = 0;
  std::uint32_t source_port = 0, candidates = 0;
  std::int64_t asked = 0, decided = 0, wait = 0, released = 0;  ///< [ps]
  std::vector<PortName> path;
};

inline std::vector<Choice> Choices(const Observed& o) {
  const Table& t = o.controller.at(0);
  std::vector<Choice> choices(GetColumn<std::uint32_t>(t, "src").size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const auto u32 = [&](const char* name) { return GetColumn<std::uint32_t>(t, name)[i]; };
    const auto u8 = [&](const char* name) {
      return static_cast<int>(GetColumn<std::uint8_t>(t, name)[i]);
    };
    const auto time = [&](const char* name) { return GetColumn<std::int64_t>(t, name)[i]; };
    choices[i] = {
        u32("src"),        u32("dst"),          u32("request"),
        u8("cause"),       u8("outcome"),       GetColumn<std::uint16_t>(t, "source_port")[i],
        u32("candidates"), time("asked_ps"),    time("decided_ps"),
        time("wait_ps"),   time("released_ps"), {}};
  }
  const Table& paths = o.controller.at(1);
  const auto& row = GetColumn<std::int64_t>(paths, "row");
  for (std::size_t i = 0; i < row.size(); ++i) {
    choices.at(static_cast<std::size_t>(row[i]))
        .path.emplace_back(GetColumn<std::uint32_t>(paths, "node")[i],
                           GetColumn<std::uint16_t>(paths, "port")[i]);
  }
  return choices;
}

/// Finds violations in the held paths: a link with more than `most` flows from paths granted as
/// free, or a path held to the end of the run. Returns an empty text if there are none. Links are
/// shared by number of flows; the last hop of a path does not count.
inline std::string WhatIsWrongWith(const std::vector<Choice>& choices, std::size_t most = 1,
                                   bool all_released = true) {
  std::map<PortName, std::vector<std::size_t>> holders;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    if (i > 0 && choice.decided < choices[i - 1].decided)
      return fmt::format("row {} was decided before the one ahead of it", i);
    if (choice.path.empty() != (choice.outcome == 1) ||
        choice.path.empty() != (choice.source_port == 0)) {
      return fmt::format("row {}: outcome {}, source port {}, {} hops", i, choice.outcome,
                         choice.source_port, choice.path.size());
    }
    if (choice.path.empty() && choice.released >= 0)
      return fmt::format("row {} has no path, and released it", i);
    if (!choice.path.empty() && all_released && choice.released < 0)
      return fmt::format("row {} was never released", i);
    if (choice.released >= 0 && choice.released < choice.decided)
      return fmt::format("row {} was released before it was decided", i);
    for (std::size_t hop = 0; hop + 1 < choice.path.size(); ++hop) {
      std::vector<std::size_t>& others = holders[choice.path[hop]];
      std::size_t held = 0;
      for (std::size_t other : others)
        held += choices[other].released < 0 || choices[other].released > choice.decided ? 1 : 0;
      if (choice.outcome == 0 && held >= most) {
        return fmt::format("row {}: node {} port {} was held by {} others", i,
                           choice.path[hop].first, choice.path[hop].second, held);
      }
      others.push_back(i);
    }
  }
  return {};
}

}  // namespace heddle::testing
