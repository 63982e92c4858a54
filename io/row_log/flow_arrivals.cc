// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/flow_arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

/// A column of the parts, which may be of another program.
template <class T>
const std::vector<T>& Required(const Table& table, const std::string& name) {
  for (const Column& column : table.columns) {
    if (column.name != name) continue;
    if (const auto* values = std::get_if<std::vector<T>>(&column.data)) return *values;
  }
  throw FileError(
      fmt::format("table {} of the parts of the result: no column {} of the expected "
                  "type. Expected: parts that this version of heddle wrote",
                  table.name, name));
}

/// A sorted table with keys src and number, read row by row.
struct Keys {
  explicit Keys(const Table& table)
      : src(&Required<std::uint32_t>(table, "src")),
        number(&Required<std::uint32_t>(table, "number")) {}
  std::pair<std::uint32_t, std::uint32_t> at(std::size_t row) const {
    return {(*src)[row], (*number)[row]};
  }
  std::size_t size() const { return src->size(); }

  const std::vector<std::uint32_t>* src;
  const std::vector<std::uint32_t>* number;
};

class ArrivalJoin final : public RowSource {
 public:
  ArrivalJoin(std::unique_ptr<RowSource> flows, std::unique_ptr<RowSource> arrivals)
      : flows_(std::move(flows)), arrivals_(std::move(arrivals)), header_(flows_->header()) {
    Required<std::int64_t>(arrivals_->header(), "time_ps");
    Required<std::int64_t>(header_, "start_ps");
    Insert({}, &header_);
    NextArrivals();
  }

  const Table& header() const override { return header_; }
  std::uint64_t rows() const override { return flows_->rows(); }

  Table NextBlock() override {
    Table block = flows_->NextBlock();
    const Keys keys(block);
    const auto& start = Required<std::int64_t>(block, "start_ps");
    std::vector<std::int64_t> received(keys.size(), -1);
    for (std::size_t i = 0; i < received.size(); ++i) {
      if (Advance(keys.at(i))) received[i] = (*time_)[row_] - start[i];
    }
    Insert(std::move(received), &block);
    return block;
  }

 private:
  void NextArrivals() {
    block_ = arrivals_->NextBlock();
    keys_ = Keys(block_);
    time_ = &Required<std::int64_t>(block_, "time_ps");
    row_ = 0;
  }

  /// To the first arrival that is not before this flow; whether it is the flow's. Arrivals of one
  /// flow are in the order of their times.
  bool Advance(std::pair<std::uint32_t, std::uint32_t> flow) {
    while (keys_.size() > 0) {
      while (row_ < keys_.size() && keys_.at(row_) < flow) ++row_;
      if (row_ < keys_.size()) return keys_.at(row_) == flow;
      NextArrivals();
    }
    return false;
  }

  static void Insert(std::vector<std::int64_t> received, Table* flows) {
    Required<std::int64_t>(*flows, "fct_ps");
    const auto fct = std::find_if(flows->columns.begin(), flows->columns.end(),
                                  [](const Column& column) { return column.name == "fct_ps"; });
    flows->columns.insert(
        fct + 1, {"received_ps", "ps",
                  "from start to the arrival of the last byte at the receiver; -1: not arrived",
                  std::move(received)});
  }

  std::unique_ptr<RowSource> flows_;
  std::unique_ptr<RowSource> arrivals_;
  Table header_;
  Table block_;  ///< of arrivals
  Keys keys_{arrivals_->header()};
  const std::vector<std::int64_t>* time_ = nullptr;
  std::size_t row_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> JoinArrivals(std::unique_ptr<RowSource> flows,
                                        std::unique_ptr<RowSource> arrivals) {
  return std::make_unique<ArrivalJoin>(std::move(flows), std::move(arrivals));
}

}  // namespace heddle
