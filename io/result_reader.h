// SPDX-License-Identifier: GPL-2.0-only
/// Reader of a result file (HDF5; format: docs/formats/result.md).
#ifndef HEDDLE_IO_RESULT_READER_H_
#define HEDDLE_IO_RESULT_READER_H_

#include <memory>
#include <string>
#include <vector>

#include "core/table.h"

namespace heddle {

/// An open result. Functions throw UserError naming the file for whatever is not as expected.
class ResultReader final {
 public:
  /// Refuses what is not a result of heddle, is cut short, or has another major format version.
  explicit ResultReader(const std::string& path);
  ~ResultReader();
  ResultReader(const ResultReader&) = delete;
  ResultReader& operator=(const ResultReader&) = delete;

  /// Names of all tables, "topology/links" for one in a group of a group, sorted.
  std::vector<std::string> TableNames() const;
  bool HasTable(const std::string& name) const;
  /// The table as it was given to the writer.
  Table ReadTable(const std::string& name) const;
  /// Text, integer and floating-point attributes of the root, sorted by name.
  std::vector<Attribute> ReadAttributes() const;
  /// The same of a group of the root ("run"); none if there is no such group.
  std::vector<Attribute> ReadGroupAttributes(const std::string& group) const;
  /// Whether the writer finished.
  bool complete() const;

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_READER_H_
