// SPDX-License-Identifier: GPL-2.0-only
/// Pairs the rows of one table in two results by the keys of the schema.
///
/// A table whose rows are sorted by its keys is read in blocks; a table in another order is read
/// into memory and sorted. Without keys, the row number is the key. Rows with equal keys are paired
/// in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/result/result_reader.h"
#include "io/schema/result_schema.h"

namespace heddle {

/// Some of the pairs; rows are indices into the tables `a` and `b`.
struct MatchedRows {
  const Table* a = nullptr;
  const Table* b = nullptr;
  std::vector<std::size_t> rows_a, rows_b;  ///< of equal length
  std::vector<std::size_t> only_a, only_b;
  std::uint64_t first_a = 0, first_b = 0;  ///< numbers of the tables' first rows in the files
};

class RowMatcher final {
 public:
  /// `schema` may be null: pairs by row number. `columns`: the columns to read, of the same types
  /// in both files, including all keys to use. The readers must outlive it.
  RowMatcher(const ResultReader& a, const ResultReader& b, const std::string& table,
             const TableSchema* schema, const std::vector<std::string>& columns);

  /// Sets *matched to the next pairs, valid until the next call. False at the end.
  bool Next(MatchedRows* matched);

  /// Names a row by its keys: "src 0, number 3", or by its number in the file: "row 17".
  std::string Name(const Table& table, std::size_t row, std::uint64_t first) const;

 private:
  /// One file's rows with their keys, read in blocks.
  class Cursor {
   public:
    /// Reads no rows yet, but yields the columns in `block`.
    Cursor(const ResultReader& reader, std::string table, const TableSchema* schema,
           std::vector<std::string> columns);
    /// Reads the next block if the current one is used up; false at the end.
    bool Fill();
    bool block_left() const { return at < size_; }  ///< rows after `at`

    Table block;
    std::vector<std::vector<std::int64_t>> keys;
    std::size_t at = 0;       ///< next row of the block
    std::uint64_t first = 0;  ///< number of the block's first row

   private:
    void ReadSorted();  ///< the whole table, by its keys

    const ResultReader& reader_;
    std::string table_;
    const TableSchema* schema_;
    std::vector<std::string> columns_;
    std::uint64_t rows_, read_ = 0;
    std::size_t size_ = 0;
    bool in_memory_;
  };

  /// Compares the next rows of both files: negative if that of a_ comes first, 0 if they are a
  /// pair.
  int CompareKeys() const;

  const TableSchema* schema_;
  Cursor a_, b_;
};

}  // namespace heddle
