// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/nic/flow_rows.h"

namespace heddle {

FlowRecord RecordOf(const QueuePair& pair) {
  FlowRecord record;
  record.flow = pair.flow;
  record.destination = pair.destination;
  record.source_port = pair.source_port;
  record.destination_port = pair.destination_port;
  record.priority = pair.priority;
  record.state = FlowState::kUnderWay;
  record.message = pair.message;
  record.size = pair.bytes();
  record.start = pair.start;
  record.recovery = pair.recovery;
  return record;
}

FlowRecord RecordOf(const FlowPost& flow) {
  FlowRecord record;
  record.flow = {flow.source, flow.numbers.number};
  record.destination = flow.destination;
  if (flow.numbers.given()) {
    record.source_port = flow.numbers.source_port;
    record.destination_port = flow.destination_port;
    record.priority = flow.priority;
    record.message = flow.numbers.message;
  }
  record.state = FlowState::kNotStarted;
  record.size = flow.size;
  record.start = flow.start;
  record.origin = flow.origin;
  return record;
}

}  // namespace heddle
