// SPDX-License-Identifier: GPL-2.0-only
/// How far the collectives of one result are from those of another, as a table for people.
#pragma once

#include <string>

#include "io/analysis/result_accuracy.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns the time of the step, the errors of all collectives, and a line for each kind and size;
/// whole lines. `reference`, `other`: what made the two results.
std::string StepAccuracyLine(const ResultAccuracy& accuracy, const std::string& reference,
                             const std::string& other);
/// Returns the errors of all collectives, mean and 99th percentile; a whole line.
std::string CollectiveAccuracyLine(const ResultAccuracy& accuracy);
/// `where_all`: where kinds are that the table leaves out.
std::string AccuracyTable(const ResultAccuracy& accuracy, const std::string& reference,
                          const std::string& other, const std::string& where_all);

/// Returns a row a kind. `reference`, `other`: as above.
PrintedColumns<KindAccuracy> AccuracyColumns(const std::string& reference,
                                             const std::string& other);
/// Returns all of it as a part of the object of --json, with every kind.
OrderedJson AccuracyJson(const ResultAccuracy& accuracy, const std::string& reference,
                         const std::string& other);

}  // namespace heddle
