// SPDX-License-Identifier: GPL-2.0-only
/// Key figures of results as lines of CSV: what a sweep or a scaling study comes down to
/// (docs/formats/sweep.md).
#ifndef HEDDLE_IO_ANALYSIS_SWEEP_FIGURES_H_
#define HEDDLE_IO_ANALYSIS_SWEEP_FIGURES_H_

#include <string>

#include "io/result/result_reader.h"

namespace heddle {

/// Names of the columns, with commas between them.
std::string FiguresHeader();
/// The figures of one result in that order; nothing between two commas where a result has none.
std::string FiguresLine(const ResultReader& result);
/// As many commas as a line of figures has: for a run without a result.
std::string NoFigures();

/// A field of CSV: in quotes where it has to be (RFC 4180).
std::string CsvField(const std::string& text);

}  // namespace heddle

#endif  // HEDDLE_IO_ANALYSIS_SWEEP_FIGURES_H_
