// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/flow_arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/records/arrival_join.h"

namespace heddle {
namespace {

/// Throws unless a table of the row logs, which may come from another program version, has this
/// column.
template <class T>
void Require(const Table& table, const std::string& name) {
  for (const Column& column : table.columns) {
    if (column.name == name && std::holds_alternative<std::vector<T>>(column.data)) return;
  }
  throw FileError(
      fmt::format("table {} of the row logs: no column {} of the expected type. "
                  "Expected: row logs of this version of heddle",
                  table.name, name));
}

/// Throws if the table has received_ps, and not of the expected type.
void RequireReceived(const Table& table) {
  const bool has = std::any_of(table.columns.begin(), table.columns.end(),
                               [](const Column& column) { return column.name == kReceivedColumn; });
  if (has) Require<std::int64_t>(table, kReceivedColumn);
}

void RequireKeys(const Table& table) {
  Require<std::uint32_t>(table, "src");
  Require<std::uint32_t>(table, "number");
}

class JoinedRows final : public RowSource {
 public:
  JoinedRows(std::unique_ptr<RowSource> flows, std::unique_ptr<RowSource> arrivals)
      : flows_(std::move(flows)),
        arrivals_(std::move(arrivals)),
        header_(flows_->header()),
        join_([this] { return arrivals_->NextBlock(); }) {
    join_.AddReceived(&header_);
  }

  const Table& header() const override { return header_; }
  std::uint64_t rows() const override { return flows_->rows(); }

  Table NextBlock() override {
    Table block = flows_->NextBlock();
    join_.AddReceived(&block);
    return block;
  }

 private:
  std::unique_ptr<RowSource> flows_;
  std::unique_ptr<RowSource> arrivals_;
  Table header_;
  ArrivalJoin join_;
};

}  // namespace

std::unique_ptr<RowSource> JoinArrivals(std::unique_ptr<RowSource> flows,
                                        std::unique_ptr<RowSource> arrivals) {
  RequireKeys(flows->header());
  Require<std::int64_t>(flows->header(), "start_ps");
  Require<std::int64_t>(flows->header(), "fct_ps");
  RequireReceived(flows->header());
  RequireKeys(arrivals->header());
  Require<std::int64_t>(arrivals->header(), "time_ps");
  return std::make_unique<JoinedRows>(std::move(flows), std::move(arrivals));
}

}  // namespace heddle
