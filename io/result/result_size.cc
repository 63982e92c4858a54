// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/result_size.h"

namespace heddle {
namespace {

// Bytes a row in a finished result (shuffled, deflated), rounded up from the largest of the runs in
// docs/models/statistics.md. A link has a row of /topology/links and two of /ports.
constexpr double kFlow = 16, kLabelledFlow = 6, kDecision = 12, kStep = 9, kLayer = 12, kLink = 20;
// Attributes, descriptions, statistics, and the space that HDF5 sets aside for them; more of it for
// the tables of workloads.
constexpr double kFixed = 192 * 1024, kFixedOfWorkloads = 320 * 1024;

// Bytes a row in part logs, which are not compressed: the columns' widths.
constexpr double kFlowLog = 70, kArrivalLog = 16, kDecisionLog = 60, kStepLog = 50;
constexpr double kQueueRow = 29, kLinkRow = 24;

}  // namespace

ResultSize EstimateResultSize(const ResultRows& rows) {
  ResultSize size;
  size.result = kFixed + (rows.flows - rows.labelled_flows) * kFlow +
                rows.labelled_flows * kLabelledFlow + rows.decisions * kDecision +
                rows.steps * kStep + rows.layers * kLayer + rows.links * kLink;
  if (rows.layers > 0) size.result += kFixedOfWorkloads;
  size.beside =
      rows.flows * (kFlowLog + kArrivalLog) + rows.decisions * kDecisionLog + rows.steps * kStepLog;
  return size;
}

double MostMonitorBytes(double queues, double queue_interval, double ports, double link_interval) {
  double bytes = 0;
  if (queue_interval > 0) bytes += queues / queue_interval * kQueueRow;
  if (link_interval > 0) bytes += ports / link_interval * kLinkRow;
  return bytes;
}

}  // namespace heddle
