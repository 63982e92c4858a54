// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/collective_parts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/records/collective_rows.h"
#include "io/table/result_format.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Calls `work`; a table without a column is here the fault of a row log or of the totals.
template <class Work>
auto BlameLogs(Work&& work) {
  try {
    return work();
  } catch (const UserError& error) {
    throw FileError(std::string("row logs: ") + error.what());
  }
}

class JoinedParts final : public RowSource {
 public:
  JoinedParts(std::unique_ptr<RowSource> parts, std::unique_ptr<RowSource> again,
              const Table& operations)
      : rows_of_(operations), header_(WithoutRows(rows_of_.Make({}))), parts_(std::move(parts)) {
    for (std::size_t some = Fill(); some > 0; some = Fill()) {
      rows_ += some;
      Drop(some);
    }
    parts_ = std::move(again);
    left_ = parts_->rows();
  }

  const Table& header() const override { return header_; }
  std::uint64_t rows() const override { return rows_; }
  std::optional<std::size_t> LongestText(const std::string& column) const override {
    if (column != "layer_name") return std::nullopt;
    return rows_of_.longest_layer_name();
  }

  Table NextBlock() override {
    return BlameLogs([this] {
      const std::size_t some = Fill();
      const std::vector<CollectivePart> block(joined_.begin(),
                                              joined_.begin() + static_cast<std::ptrdiff_t>(some));
      Drop(some);
      return rows_of_.Make(block);
    });
  }

 private:
  /// Reads parts until a block of collectives is whole; returns their number, 0 at the end. The
  /// last collective read so far may have more parts.
  std::size_t Fill() {
    while (left_ > 0 && joined_.size() <= kResultChunkRows) {
      const std::vector<CollectivePart> next = CollectivePartsOf(parts_->NextBlock());
      if (next.empty()) break;
      JoinParts(next, &joined_);
      left_ -= std::min<std::uint64_t>(left_, next.size());
    }
    return std::min<std::size_t>(joined_.size(), kResultChunkRows);
  }
  void Drop(std::size_t some) {
    joined_.erase(joined_.begin(), joined_.begin() + static_cast<std::ptrdiff_t>(some));
  }

  CollectiveRows rows_of_;
  Table header_;
  std::unique_ptr<RowSource> parts_;
  std::uint64_t left_ = parts_->rows();  ///< parts not yet read
  std::vector<CollectivePart> joined_;   ///< collectives not yet returned
  std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> JoinCollectiveParts(std::unique_ptr<RowSource> parts,
                                               std::unique_ptr<RowSource> again,
                                               const Table& operations) {
  return BlameLogs([&] {
    return std::make_unique<JoinedParts>(std::move(parts), std::move(again), operations);
  });
}

}  // namespace heddle
