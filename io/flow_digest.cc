// SPDX-License-Identifier: GPL-2.0-only
#include "io/flow_digest.h"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/result_format.h"
#include "io/table_column.h"

namespace heddle {

std::uint64_t DigestOfFlows(const ResultReader& reader) {
  const Table header = reader.ReadHeader("flows");
  const std::uint64_t rows = reader.CountRows("flows");
  TableDigest digest("flows", header.columns.size());
  for (const Column& column : header.columns) {
    digest.BeginColumn(column.name, column.data, rows);
    for (std::uint64_t first = 0; first < rows; first += kResultChunkRows) {
      const std::uint64_t count = std::min<std::uint64_t>(kResultChunkRows, rows - first);
      digest.AddRows(reader.ReadRows("flows", first, count, {column.name}).columns.front().data);
    }
  }
  return digest.value();
}

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
  const auto& operation = GetColumn<U32>(flows, "operation");
  const auto& chunk = GetColumn<U32>(flows, "chunk");
  const auto& channel = GetColumn<U16>(flows, "channel");
  const auto& job = GetColumn<U16>(flows, "job");
  U64 sum = 0;
  for (std::size_t i = 0; i < src.size(); ++i) {
    const U64 flow = U64{src[i]} << 32 | number[i];
    const U64 sent[] = {flow,
                        U64{dst[i]} << 32 | message[i],
                        U64{source_port[i]} << 32 | U64{destination_port[i]} << 16 |
                            U64{priority[i]} << 8 | state[i],
                        static_cast<U64>(size[i]),
                        static_cast<U64>(start[i]),
                        static_cast<U64>(fct[i]),
                        U64{operation[i]} << 32 | chunk[i],
                        U64{job[i]} << 16 | channel[i]};
    const U64 arrived[] = {flow, static_cast<U64>(start[i] + received[i])};
    sum += XXH3_64bits(sent, sizeof sent) + XXH3_64bits(arrived, sizeof arrived);
  }
  return sum;
}

}  // namespace heddle
