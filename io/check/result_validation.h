// SPDX-License-Identifier: GPL-2.0-only
/// Checks a result file against docs/formats/result.md: its structure, its values, and the sums of
/// tables and attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/check/table_validation.h"
#include "io/result/result_reader.h"

namespace heddle {

/// What was checked, and the errors found.
struct ResultValidation {
  std::vector<Finding> findings;  ///< none: the file is valid
  std::string version;            ///< "2.1"; empty if the file cannot be read
  std::size_t tables = 0;
  std::uint64_t rows = 0;
  bool digest_checked = false;  ///< whether flows_digest was recomputed
  bool complete = true;
  std::int64_t until_ps = 0;  ///< simulated time of an incomplete file
};

/// Reads the whole file in blocks of rows. Every error in it becomes a finding.
ResultValidation ValidateResult(const std::string& path, SealRule rule = SealRule::kRequired);

}  // namespace heddle
