// SPDX-License-Identifier: GPL-2.0-only
/// Key figures of served requests, from the table of a result, defined as the run's own are
/// (core/serving/serving_figures.h).
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/table.h"

namespace heddle {

struct ServedFigures {
  std::int64_t requests = 0, finished = 0;
  /// Of finished requests [ps]; of TPOT, of those with more than one token. None: there are none.
  std::optional<double> ttft_p50, ttft_p99, tpot_p50, tpot_p99;
  /// Share of all requests that kept the limits of --slo, and their number a second from the first
  /// arrival to the last token. None: the run had no limits.
  std::optional<double> kept, goodput;
};

/// Returns the figures of "serving/requests". Throws UserError for a table without its columns.
ServedFigures FiguresOfServed(const Table& requests);

}  // namespace heddle
