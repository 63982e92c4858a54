// SPDX-License-Identifier: GPL-2.0-only
#include "core/records/arrival_join.h"

#include <algorithm>
#include <tuple>

namespace heddle {

ArrivalJoin::ArrivalJoin(std::function<Table()> next_arrivals) : next_(std::move(next_arrivals)) {
  NextArrivals();
}

void ArrivalJoin::NextArrivals() {
  block_ = next_();
  source_ = &GetColumn<std::uint32_t>(block_, "src");
  number_ = &GetColumn<std::uint32_t>(block_, "number");
  time_ = &GetColumn<std::int64_t>(block_, "time_ps");
  row_ = 0;
}

bool ArrivalJoin::Advance(std::uint32_t source, std::uint32_t number) {
  const auto flow = std::tie(source, number);
  while (!source_->empty()) {
    while (row_ < source_->size() && std::tie((*source_)[row_], (*number_)[row_]) < flow) ++row_;
    if (row_ < source_->size()) return std::tie((*source_)[row_], (*number_)[row_]) == flow;
    NextArrivals();
  }
  return false;
}

void ArrivalJoin::AddReceived(Table* flows) {
  GetColumn<std::int64_t>(*flows, "fct_ps");  // throws if there is none
  std::vector<std::int64_t>& received = ReceivedOf(flows);
  const auto& source = GetColumn<std::uint32_t>(*flows, "src");
  const auto& number = GetColumn<std::uint32_t>(*flows, "number");
  const auto& start = GetColumn<std::int64_t>(*flows, "start_ps");
  received.resize(source.size(), -1);
  for (std::size_t i = 0; i < received.size() && !source_->empty(); ++i) {
    if (!Advance(source[i], number[i])) continue;
    const std::int64_t found = (*time_)[row_] - start[i];
    if (received[i] < 0 || found < received[i]) received[i] = found;
  }
}

std::vector<std::int64_t>& ReceivedOf(Table* flows) {
  auto& columns = flows->columns;
  const auto at = [&](const char* name) {
    return std::find_if(columns.begin(), columns.end(),
                        [&](const Column& column) { return column.name == name; });
  };
  auto received = at(kReceivedColumn);
  if (received == columns.end()) received = columns.insert(at("fct_ps") + 1, ReceivedColumn({}));
  GetColumn<std::int64_t>(*flows, kReceivedColumn);  // throws if it is of another type
  return std::get<std::vector<std::int64_t>>(received->data);
}

Column ReceivedColumn(std::vector<std::int64_t> values) {
  return {kReceivedColumn, "ps",
          "from start to the arrival of the last byte at the receiver; -1: not arrived",
          std::move(values)};
}

}  // namespace heddle
