// SPDX-License-Identifier: GPL-2.0-only
/// A CSV whose head names its columns, in any order; fields have no quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/input/text_file.h"

namespace heddle {

class CsvColumns {
 public:
  struct Known {
    const char* name;
    bool required;
  };
  /// Reads the head, the current line of `lines`. Throws UserError for unknown columns, those that
  /// come twice, and required ones that are missing.
  CsvColumns(std::string_view head, const std::vector<Known>& known, const LineReader& lines);

  /// Splits the current line. Throws UserError if it has more or fewer fields than the head.
  void Split(std::string_view line, const LineReader& lines);
  /// Returns a field of the last line that was split, trimmed, by the column's place in `known`;
  /// empty if the file does not have it.
  std::string_view field(std::size_t known) const {
    return place_[known] == kMissing ? std::string_view() : fields_[place_[known]];
  }

 private:
  static constexpr std::size_t kMissing = ~std::size_t{0};
  std::vector<std::size_t> place_;  ///< in the line, by place in `known`
  std::vector<std::string_view> fields_;
  std::string head_;
};

}  // namespace heddle
