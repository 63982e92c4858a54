// SPDX-License-Identifier: GPL-2.0-only
/// Key figures of results as lines of CSV, for sweeps and scaling studies (docs/formats/sweep.md).
#ifndef HEDDLE_IO_ANALYSIS_SWEEP_FIGURES_H_
#define HEDDLE_IO_ANALYSIS_SWEEP_FIGURES_H_

#include <string>

#include "io/result/result_reader.h"

namespace heddle {

/// Names of the columns, separated by commas.
std::string FiguresHeader();
/// The figures of one result in that order; empty fields for missing figures.
std::string FiguresLine(const ResultReader& result);
/// A line of empty fields, for a run without a result.
std::string NoFigures();

}  // namespace heddle

#endif  // HEDDLE_IO_ANALYSIS_SWEEP_FIGURES_H_
