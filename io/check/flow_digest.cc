// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/flow_digest.h"

#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/records/flow_vocabulary.h"

namespace heddle {

namespace {

/// A column that only some runs have; without it every row has the value `otherwise`.
template <class T>
std::vector<T> ColumnOr(const Table& table, const char* name, T otherwise, std::size_t rows) {
  for (const Column& column : table.columns) {
    if (column.name == name) return GetColumn<T>(table, name);
  }
  return std::vector<T>(rows, otherwise);
}

}  // namespace

std::uint64_t DigestOfFlowRows(const Table& flows) {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  using I64 = std::int64_t;
  const auto& src = GetColumn<U32>(flows, "src");
  const auto& dst = GetColumn<U32>(flows, "dst");
  const auto& number = GetColumn<U32>(flows, "number");
  const auto& message = GetColumn<U32>(flows, "message");
  const auto& source_port = GetColumn<U16>(flows, "source_port");
  const auto& destination_port = GetColumn<U16>(flows, "destination_port");
  const auto& priority = GetColumn<std::uint8_t>(flows, "priority");
  const auto& state = GetColumn<std::uint8_t>(flows, "state");
  const auto& size = GetColumn<I64>(flows, "size_bytes");
  const auto& start = GetColumn<I64>(flows, "start_ps");
  const auto& fct = GetColumn<I64>(flows, "fct_ps");
  const auto& received = GetColumn<I64>(flows, "received_ps");
  const auto& ideal = GetColumn<I64>(flows, "ideal_ps");
  const auto operation = ColumnOr<U32>(flows, "operation", FlowOrigin::kNone, src.size());
  const auto chunk = ColumnOr<U32>(flows, "chunk", 0, src.size());
  const auto channel = ColumnOr<U16>(flows, "channel", 0, src.size());
  const auto job = ColumnOr<U16>(flows, "job", 0, src.size());
  const auto request = ColumnOr<U32>(flows, "request", FlowRecord::kNoRequest, src.size());
  U64 sum = 0;
  for (std::size_t i = 0; i < src.size(); ++i) {
    FlowRecord flow;
    flow.flow = {NodeId(src[i]), number[i]};
    flow.destination = NodeId(dst[i]);
    flow.source_port = source_port[i];
    flow.destination_port = destination_port[i];
    flow.priority = priority[i];
    flow.state = static_cast<FlowState>(state[i]);
    flow.message = message[i];
    flow.size = size[i];
    flow.start = Time{start[i]};
    flow.completion = Time{fct[i]};
    flow.ideal = Time{ideal[i]};
    flow.origin = {operation[i], chunk[i], channel[i], job[i]};
    flow.request = request[i];
    sum += DigestOf(flow) + DigestOf(FlowArrival{flow.flow, Time{start[i] + received[i]}});
  }
  return sum;
}

}  // namespace heddle
