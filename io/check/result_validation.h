// SPDX-License-Identifier: GPL-2.0-only
/// A result file against docs/formats/result.md: its structure, its values, and the sums that
/// tables and attributes share.
#ifndef HEDDLE_IO_CHECK_RESULT_VALIDATION_H_
#define HEDDLE_IO_CHECK_RESULT_VALIDATION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/check/table_validation.h"

namespace heddle {

/// What was looked at, and what is wrong.
struct ResultValidation {
  std::vector<Finding> findings;  ///< none: the file is valid
  std::string version;            ///< "2.1"; empty if the file cannot be read
  std::size_t tables = 0;
  std::uint64_t rows = 0;
  bool digest_checked = false;  ///< flows_digest was computed again
  bool complete = true;
  std::int64_t until_ps = 0;  ///< of a file that is not
};

/// Reads the whole file, a block of rows at a time. Whatever is wrong with it becomes a finding.
ResultValidation ValidateResult(const std::string& path);

}  // namespace heddle

#endif  // HEDDLE_IO_CHECK_RESULT_VALIDATION_H_
