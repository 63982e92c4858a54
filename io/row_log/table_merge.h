// SPDX-License-Identifier: GPL-2.0-only
/// Merges one table of all sorted row logs: a k-way merge with one block of each run in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/row_log/row_log_reader.h"
#include "io/table/row_source.h"

namespace heddle {

class TableMerge final : public RowSource {
 public:
  /// Merges the table of this name in all sorted logs that have it (at least one). The logs must
  /// outlive the merge. Throws InvariantError if columns or keys differ among them. Adds the bytes
  /// of every block read to `read_bytes`.
  TableMerge(const std::vector<const RowLogReader*>& sorted, const std::string& table,
             std::uint64_t* read_bytes);
  ~TableMerge() override;

  const Table& header() const override { return header_; }
  std::uint64_t rows() const override { return rows_; }  ///< of all logs together
  Table NextBlock() override;                            ///< at most 4096 rows, in order

 private:
  class Cursor;
  /// A run and the key of its next row.
  struct Head {
    std::uint64_t word;  ///< first word of the row's packed keys
    std::uint32_t cursor;
  };
  /// Chosen rows that follow each other in a block.
  struct Pick {
    std::uint32_t cursor;
    std::size_t first, rows;
  };
  /// Compares the first words of the keys, and whole rows if these are equal.
  bool Before(const Head& a, const Head& b) const;
  void SiftDown(std::size_t at);  ///< restores heap_ after its entry `at` grew
  /// Returns the least first word of all runs but the top one: rows of the top one with lesser
  /// words are next, whatever their other keys.
  std::uint64_t NextWord() const;
  /// Adds a cursor for each run of a table, and counts the runs' rows.
  void AddCursors(const RowLogReader& log, std::uint32_t table);
  /// Moves the picked rows out of their blocks, to the end of `to`.
  void MovePicks(Table* to);

  std::vector<std::string> keys_;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::vector<Head> heap_;   ///< runs with rows left; the one with the first row on top
  std::vector<Pick> picks_;  ///< not yet copied
  Table header_;
  std::uint64_t rows_ = 0;
  std::uint64_t* read_bytes_;
};

}  // namespace heddle
