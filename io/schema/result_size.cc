// SPDX-License-Identifier: GPL-2.0-only
#include "io/schema/result_size.h"

#include "io/schema/result_schema.h"

namespace heddle {
namespace {

// Size of a row in a finished result (shuffled, deflated), rounded up from the largest of the runs
// in docs/models/statistics.md [byte]. A link has one row of /topology/links and two of /ports.
// Rows of /flows had kMeasuredFlow bytes before compression; wider ones count in proportion.
constexpr double kFlow = 16, kLabelledFlow = 6, kDecision = 12, kStep = 9, kCollective = 5,
                 kLayer = 12, kLink = 20;
constexpr double kMeasuredFlow = 78;
// Size of attributes, descriptions, statistics, and HDF5's reserved space for them; larger for the
// tables of workloads [byte].
constexpr double kFixed = 48 * 1024, kFixedOfWorkloads = 48 * 1024;

// Most bytes of a row in row logs: the sum of the columns' widths. Where sender and receiver are on
// different ranks, the receiver's time is a row of its own besides.
constexpr double kArrivalLog = 16, kDecisionLog = 60, kStepLog = 50, kCollectiveLog = 50;
constexpr double kQueueRow = 29, kLinkRow = 24;

double WidthOf(ColumnType type) {
  switch (type) {
    case ColumnType::kI64:
    case ColumnType::kF64:
      return 8;
    case ColumnType::kU32:
    case ColumnType::kText:  // the number of a text
      return 4;
    case ColumnType::kU16:
      return 2;
    case ColumnType::kU8:
      return 1;
  }
  return 0;
}

/// Bytes of a row of /flows with all columns that it can have.
double FlowWidth() {
  double width = 0;
  for (const ColumnSchema& column : FindTableSchema("flows")->columns)
    width += WidthOf(column.type);
  return width;
}

}  // namespace

ResultSize EstimateResultSize(const ResultRows& rows) {
  ResultSize size;
  const double width = FlowWidth();
  const double flows =
      (rows.flows - rows.labelled_flows) * kFlow + rows.labelled_flows * kLabelledFlow;
  size.result = kFixed + flows * width / kMeasuredFlow + rows.decisions * kDecision +
                rows.steps * kStep + rows.collectives * kCollective + rows.layers * kLayer +
                rows.links * kLink;
  if (rows.layers > 0) size.result += kFixedOfWorkloads;
  size.beside = rows.flows * (width + kArrivalLog) + rows.decisions * kDecisionLog +
                rows.steps * kStepLog + rows.collectives * kCollectiveLog;
  return size;
}

double MostMonitorBytes(double queues, double queue_interval, double ports, double link_interval) {
  double bytes = 0;
  if (queue_interval > 0) bytes += queues / queue_interval * kQueueRow;
  if (link_interval > 0) bytes += ports / link_interval * kLinkRow;
  return bytes;
}

}  // namespace heddle
