// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <type_traits>

#include "core/check.h"
#include "io/hdf5_handle.h"
#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "io/result_format.h"
#include "io/table_rows.h"
#include "io/table_stream.h"

namespace heddle {
namespace {

/// A part file that another process has closed.
class Part {
 public:
  explicit Part(const std::string& path) : check_(path, Hdf5Check::Blame::kOutput) {
    SilenceHdf5();
    file_ = Hdf5File(check_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                            "read this part of the result, which all ranks write beside it"));
    if (ReadTextAttribute(check_, file_.get(), "filetype") != kPartFileType) {
      check_.Fail("read it as a part of a result");
    }
    tables_ = ListTables(check_, file_.get());
  }

  const Hdf5Check& check() const { return check_; }
  hid_t id() const { return file_.get(); }
  const std::vector<std::string>& tables() const { return tables_; }
  bool Has(const std::string& table) const {
    return std::binary_search(tables_.begin(), tables_.end(), table);
  }

 private:
  Hdf5Check check_;
  Hdf5File file_;
  std::vector<std::string> tables_;
};

/// The rows of one table of one part, from first to last, a block of them in memory.
class Cursor {
 public:
  Cursor(const Part& part, const std::string& table)
      : check_(part.check()),
        group_(check_(H5Gopen2(part.id(), table.c_str(), H5P_DEFAULT), "read table " + table)) {
    std::istringstream keys(ReadTextAttribute(check_, group_.get(), kPartKeysAttribute));
    for (std::string key; keys >> key;) keys_.push_back(key);
    names_ = ListColumns(check_, group_.get(), table);
    rows_ = CountRows(check_, group_.get(), names_.front());
    block_.name = table;
    block_.description = ReadTextAttribute(check_, group_.get(), "description");
    LoadBlock();
  }

  const Table& block() const { return block_; }
  const std::vector<std::string>& keys() const { return keys_; }
  std::uint64_t rows() const { return rows_; }

  bool at_end() const { return row_ == count_; }
  std::size_t row() const { return row_; }
  bool ComesAfter(const Cursor& other) const {
    return order_->Compare(row_, *other.order_, other.row_) > 0;
  }

  /// The next row; false if it is in a block that is not loaded yet.
  bool Step() { return ++row_ < count_ || loaded_ == rows_; }
  /// Replaces the block by the next one.
  void LoadBlock() {
    count_ = std::min<std::uint64_t>(kPartBlockRows, rows_ - loaded_);
    block_.columns.clear();
    for (const std::string& name : names_) {
      block_.columns.push_back(ReadRows(check_, group_.get(), name, loaded_, count_));
    }
    order_ = std::make_unique<RowOrder>(block_, keys_);
    loaded_ += count_;
    row_ = 0;
  }

 private:
  const Hdf5Check& check_;
  Hdf5Group group_;
  std::vector<std::string> keys_, names_;
  Table block_;
  std::unique_ptr<RowOrder> order_;
  std::uint64_t rows_ = 0, loaded_ = 0;
  std::size_t count_ = 0, row_ = 0;
};

/// One table of all parts in one order: a merge of sorted sequences.
class Merger {
 public:
  Merger(const std::vector<std::unique_ptr<Part>>& parts, const std::string& table) {
    for (const auto& part : parts) {
      if (part->Has(table)) cursors_.push_back(std::make_unique<Cursor>(*part, table));
    }
    header_ = WithoutRows(cursors_.front()->block());
    for (const auto& cursor : cursors_) {
      CheckSameColumns(header_, cursor->block());
      HEDDLE_INVARIANT(cursor->keys() == cursors_.front()->keys(),
                       "table " + table + " is ordered by other columns on other ranks");
      rows_ += cursor->rows();
      if (!cursor->at_end()) heap_.push_back(cursor.get());
    }
    std::make_heap(heap_.begin(), heap_.end(), After);
  }

  const Table& header() const { return header_; }
  std::uint64_t rows() const { return rows_; }

  /// The next rows: kResultChunkRows of them, or what is left.
  Table NextBlock() {
    Table block = header_;
    for (std::size_t count = 0; count < kResultChunkRows && !heap_.empty(); ++count) {
      std::pop_heap(heap_.begin(), heap_.end(), After);
      Cursor* cursor = heap_.back();
      picks_.push_back({&cursor->block(), cursor->row()});
      if (!cursor->Step()) {
        CopyPicks(&block);  // they point into the block that goes
        cursor->LoadBlock();
      }
      if (cursor->at_end()) {
        heap_.pop_back();
      } else {
        std::push_heap(heap_.begin(), heap_.end(), After);
      }
    }
    CopyPicks(&block);
    return block;
  }

 private:
  struct Pick {
    const Table* table;
    std::size_t row;
  };
  static bool After(const Cursor* a, const Cursor* b) { return a->ComesAfter(*b); }

  void CopyPicks(Table* to) {
    for (std::size_t i = 0; i < to->columns.size(); ++i) {
      std::visit(
          [&](auto& target) {
            for (const Pick& pick : picks_) {
              const ColumnData& data = pick.table->columns[i].data;
              target.push_back(std::get<std::decay_t<decltype(target)>>(data)[pick.row]);
            }
          },
          to->columns[i].data);
    }
    picks_.clear();
  }

  std::vector<std::unique_ptr<Cursor>> cursors_;
  std::vector<Cursor*> heap_;  ///< those with rows left; the first row of all on top
  std::vector<Pick> picks_;    ///< rows chosen, not yet copied
  Table header_;
  std::uint64_t rows_ = 0;
};

void Merge(const std::vector<std::string>& paths, ResultWriter* result) {
  std::vector<std::unique_ptr<Part>> parts;
  std::set<std::string> tables;
  for (const std::string& path : paths) {
    parts.push_back(std::make_unique<Part>(path));
    tables.insert(parts.back()->tables().begin(), parts.back()->tables().end());
  }
  for (const std::string& table : tables) {
    Merger merger(parts, table);
    result->WriteBlocks(merger.header(), merger.rows(), [&] { return merger.NextBlock(); });
  }
}

}  // namespace

void MergeStreams(const std::vector<std::string>& parts, ResultWriter* result) {
  try {
    Merge(parts, result);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}. The rows are still in {}{}", error.what(), parts.front(),
                            parts.size() == 1 ? "" : fmt::format(" to {}", parts.back())));
  }
}

}  // namespace heddle
