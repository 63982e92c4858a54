// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/table_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Rows of a block of the merge: few, so that they are still in a cache when they are copied on.
constexpr std::size_t kMergedRows = 4096;

}  // namespace

/// The rows of one run, from first to last, with one block in memory.
class TableMerge::Cursor {
 public:
  Cursor(const RowLogReader& log, const std::vector<std::string>& keys)
      : log_(&log), keys_(&keys) {}

  void AddBlock(const RowLogReader::Block& block) { blocks_.push_back(&block); }
  /// Replaces the block by the next one with rows; false if there is none.
  bool Load(std::uint64_t* read_bytes) {
    row_ = count_ = 0;
    while (count_ == 0 && next_ < blocks_.size()) {
      const RowLogReader::Block& block = *blocks_[next_++];
      rows_ = log_->ReadBlock(block);
      count_ = block.rows;
      *read_bytes += block.bytes;
    }
    if (count_ == 0) return false;
    order_ = std::make_unique<RowOrder>(rows_, *keys_);
    return true;
  }

  std::size_t row() const { return row_; }
  std::uint64_t word() const { return order_->first_word(row_); }
  /// The next row of this block; false if there is none.
  bool Step() { return ++row_ < count_; }
  bool ComesBefore(const Cursor& other) const {
    return order_->Compare(row_, *other.order_, other.row_) < 0;
  }
  /// Values of column `i`, which the caller may move from.
  template <class T>
  T* values(std::size_t i) {
    return std::get<std::vector<T>>(rows_.columns[i].data).data();
  }

 private:
  const RowLogReader* log_;
  const std::vector<std::string>* keys_;
  std::vector<const RowLogReader::Block*> blocks_;
  std::size_t next_ = 0;
  Table rows_;
  std::unique_ptr<RowOrder> order_;
  std::size_t count_ = 0, row_ = 0;
};

TableMerge::TableMerge(const std::vector<const RowLogReader*>& sorted, const std::string& table,
                       std::uint64_t* read_bytes)
    : read_bytes_(read_bytes) {
  bool first = true;
  for (const RowLogReader* log : sorted) {
    for (std::uint32_t i = 0; i < log->tables().size(); ++i) {
      const LoggedTable& found = log->tables()[i];
      if (found.header.name != table) continue;
      if (std::exchange(first, false)) {
        header_ = found.header;
        keys_ = found.keys;
      }
      CheckSameColumns(header_, found.header);
      HEDDLE_INVARIANT(keys_ == found.keys,
                       fmt::format("table {} is ordered by other columns on other ranks", table));
      AddCursors(*log, i);
    }
  }
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
    if (cursors_[i]->Load(read_bytes_)) heap_.push_back({cursors_[i]->word(), i});
  }
  for (std::size_t i = heap_.size() / 2; i-- > 0;) SiftDown(i);
}

TableMerge::~TableMerge() = default;

void TableMerge::AddCursors(const RowLogReader& log, std::uint32_t table) {
  std::map<std::uint32_t, Cursor*> runs;
  for (const RowLogReader::Block& block : log.blocks()) {
    if (block.table != table) continue;
    Cursor*& run = runs[block.run];
    if (run == nullptr) {
      cursors_.push_back(std::make_unique<Cursor>(log, keys_));
      run = cursors_.back().get();
    }
    run->AddBlock(block);
    rows_ += block.rows;
  }
}

bool TableMerge::Before(const Head& a, const Head& b) const {
  if (a.word != b.word) return a.word < b.word;
  return cursors_[a.cursor]->ComesBefore(*cursors_[b.cursor]);
}

void TableMerge::SiftDown(std::size_t at) {
  for (;;) {
    std::size_t least = 2 * at + 1;
    if (least >= heap_.size()) return;
    if (least + 1 < heap_.size() && Before(heap_[least + 1], heap_[least])) ++least;
    if (!Before(heap_[least], heap_[at])) return;
    std::swap(heap_[least], heap_[at]);
    at = least;
  }
}

std::uint64_t TableMerge::NextWord() const {
  std::uint64_t word = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 1; i < std::min<std::size_t>(3, heap_.size()); ++i)
    word = std::min(word, heap_[i].word);
  return word;
}

Table TableMerge::NextBlock() {
  Table block = header_;
  for (std::size_t count = 0; count < kMergedRows && !heap_.empty();) {
    Head& top = heap_.front();
    Cursor& cursor = *cursors_[top.cursor];
    const std::uint64_t next = NextWord();
    Pick pick{top.cursor, cursor.row(), 0};
    bool more = true;
    do {
      ++pick.rows;
      ++count;
      more = cursor.Step();
    } while (more && count < kMergedRows && cursor.word() < next);
    picks_.push_back(pick);
    if (!more) {
      MovePicks(&block);  // these rows are in the block that is replaced
      more = cursor.Load(read_bytes_);
    }
    if (more) {
      top.word = cursor.word();
    } else {
      top = heap_.back();
      heap_.pop_back();
    }
    SiftDown(0);
  }
  MovePicks(&block);
  return block;
}

void TableMerge::MovePicks(Table* to) {
  for (std::size_t i = 0; i < to->columns.size(); ++i) {
    std::visit(
        [&](auto& target) {
          using Value = typename std::decay_t<decltype(target)>::value_type;
          if (target.empty()) target.reserve(kMergedRows);
          for (const Pick& pick : picks_) {
            Value* from = cursors_[pick.cursor]->template values<Value>(i) + pick.first;
            target.insert(target.end(), std::make_move_iterator(from),
                          std::make_move_iterator(from + pick.rows));
          }
        },
        to->columns[i].data);
  }
  picks_.clear();
}

}  // namespace heddle
