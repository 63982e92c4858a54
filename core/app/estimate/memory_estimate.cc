// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/estimate/memory_estimate.h"

#include <algorithm>

#include "transport/nic/posted_flows.h"
#include "transport/record/flow_records.h"

namespace heddle {
namespace {

/// Arrays double when they are full: so much more is reserved than used, on average.
constexpr double kReserve = 1.5;
/// Peaks of domains do not come at once: the sum of their peaks over the peak of their sum.
constexpr double kSpread = 2;
/// Windows that the flows of one GPU have under way together.
constexpr double kWindowsTogether = 4;
/// An inbox that was used [byte].
constexpr double kBusyInbox = 2048;
/// The calendar of a domain's events (core/events/event_queue.h), measured [byte].
constexpr double kCalendar = 8 << 10;
/// An entry of a FlatMap that is at most half full.
constexpr double kMapEntry = 16 * 3;
/// A posted flow at its source: in the heap of starts, then as a message.
constexpr double kPosted = sizeof(FlowHeap::Item) + sizeof(PostedMessage);
/// Of a message under way: names, counts of its receiver and sender
/// (collectives/execution/participation.h) [byte].
constexpr double kExecution = 64;
/// A row of a flow in the table that the summary is made from [byte].
constexpr double kTableRow = 100;
/// Sorting a log: its largest run, twice (io/row_log/sort_row_log.h), and a row there [byte].
constexpr double kMostSorted = 2.0 * (128 << 20), kSortedRow = 2 * 160;
/// Buffers of a log, chunks that are compressed, HDF5's own [byte].
constexpr double kOutputBuffers = 6 << 20;

void Grow(MemoryAccount* account, Structure structure, double bytes) {
  account->Add(structure, static_cast<std::size_t>(std::max(bytes, 0.0)));
}

}  // namespace

double PacketsOf(double flows, double message, const FabricContext& context) {
  const auto payload = static_cast<double>(context.options.payload);
  const auto window = static_cast<double>(context.metrics->max_bdp().count);
  const double of_one = context.options.has_window ? std::min(message, window + payload) : message;
  return std::max(flows,
                  std::min(flows * of_one, kWindowsTogether * window + flows * payload) / payload);
}

MemoryAccount GrowthOf(const Underway& underway, const Fabric& fabric, double rows,
                       double written) {
  MemoryAccount growth;
  const FabricContext& context = fabric.context();
  const auto domains = static_cast<double>(fabric.domains().size());
  const double flows = kReserve * underway.flows, packets = kReserve * kSpread * underway.packets;
  Grow(&growth, Structure::kSenders,
       flows * (sizeof(QueuePair) + (context.options.reliability.selective_repeat ? 96 : 0)));
  Grow(&growth, Structure::kReceivers, flows * (sizeof(ReceiveQueuePair) + kMapEntry));
  if (context.control.mode() != 0)
    Grow(&growth, Structure::kRateControl, kReserve * flows * sizeof(CongestionControl::State));
  if (underway.posted) {
    Grow(&growth, Structure::kPostedFlows, flows * kPosted);
    Grow(&growth, Structure::kExecution, underway.flows * kExecution);
  }
  Grow(&growth, Structure::kPackets, packets * sizeof(Cargo));
  if (context.tails) Grow(&growth, Structure::kTelemetry, packets * sizeof(MessageTail));
  Grow(&growth, Structure::kEvents, packets * sizeof(Event) + domains * kCalendar);
  const double message = sizeof(Message) * (context.tails ? 1 + kTailRecords : 1);
  Grow(&growth, Structure::kInboxes, packets * message + domains * kBusyInbox);
  Grow(&growth, Structure::kExchange,
       2 * underway.boundary * packets * (message + sizeof(DomainId)));
  Grow(&growth, Structure::kRecords,
       rows * (sizeof(FlowRecord) + sizeof(FlowArrival) + kTableRow) * kReserve);
  if (written > 0)
    Grow(&growth, Structure::kOutput, kOutputBuffers + std::min(kMostSorted, written * kSortedRow));
  return growth;
}

}  // namespace heddle
