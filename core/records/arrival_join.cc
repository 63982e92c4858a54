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
  const auto& source = GetColumn<std::uint32_t>(*flows, "src");
  const auto& number = GetColumn<std::uint32_t>(*flows, "number");
  const auto& start = GetColumn<std::int64_t>(*flows, "start_ps");
  GetColumn<std::int64_t>(*flows, "fct_ps");  // throws if there is none
  std::vector<std::int64_t> received(source.size(), -1);
  for (std::size_t i = 0; i < received.size(); ++i) {
    if (Advance(source[i], number[i])) received[i] = (*time_)[row_] - start[i];
  }
  const auto fct = std::find_if(flows->columns.begin(), flows->columns.end(),
                                [](const Column& column) { return column.name == "fct_ps"; });
  flows->columns.insert(
      fct + 1, {"received_ps", "ps",
                "from start to the arrival of the last byte at the receiver; -1: not arrived",
                std::move(received)});
}

}  // namespace heddle
