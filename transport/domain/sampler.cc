// SPDX-License-Identifier: GPL-2.0-only
/// FabricDomain's samples. Rows are written for what has changed since the sample before (SimAI:
/// its monitors' rule).
#include <algorithm>

#include "transport/domain/fabric_domain.h"

namespace heddle {
namespace {

/// The first of start + interval, start + 2 interval, ... at `time` or later, and after `last`.
Time NextMultiple(Time start, Time interval, Time last, Time time) {
  const Time from = std::max(last + PicoSeconds(1), time) - start;
  return start + Time{(from.ps + interval.ps - 1) / interval.ps * interval.ps};
}

}  // namespace

void FabricDomain::CatchUp(Time before) {
  if (before > next_sample_) TakeSamples(before);
  if (before >= tier_load_.edge()) tier_load_.Turn(before);
  next_due_ = std::min(next_sample_, tier_load_.edge() - PicoSeconds(1));
}

void FabricDomain::TakeSamples(Time before) {
  const MonitorOptions& monitors = context_->options.monitors;
  while (next_sample_ < before) {
    const Time time = next_sample_;
    // Between the last event and `before` nothing changes: after one sample the next worth taking
    // is not before `before`.
    const auto advance = [&](Time* next, Time interval) {
      if (*next != time) return false;
      *next =
          before < Time::Max() ? NextMultiple(monitors.start, interval, time, before) : Time::Max();
      return true;
    };
    if (advance(&next_queue_sample_, monitors.queue_interval)) SampleQueues(time);
    if (advance(&next_link_sample_, monitors.link_interval)) SampleLinks(time);
    if (advance(&next_pair_sample_, monitors.pair_interval)) SamplePairs(time);
    next_sample_ = std::min({next_queue_sample_, next_link_sample_, next_pair_sample_});
  }
}

void FabricDomain::SampleQueues(Time time) {
  for (std::uint32_t index = 0; index < ports_.size(); ++index) {
    if (ports_[index].has(Port::kAtHost)) continue;
    for (int queue = 0; queue < kPriorities; ++queue) SampleQueue(time, index, queue);
  }
}

void FabricDomain::SampleQueue(Time time, std::uint32_t index, int queue) {
  const Port& port = ports_[index];
  std::uint32_t& seen = seen_queues_[index * kPriorities + static_cast<std::uint32_t>(queue)];
  const std::uint32_t bytes = port.queues[queue].bytes;
  if (bytes == seen || time < context_->options.monitors.start) return;
  seen = bytes;
  monitored_.queues.push_back({time, nodes_[port.node].id, NumberOf(index),
                               static_cast<std::uint8_t>(queue), bytes, port.queued_bytes});
}

void FabricDomain::Watch(const Port& port, int queue) {
  if (!port.has(Port::kAtHost))
    SampleQueue(now_, static_cast<std::uint32_t>(&port - ports_.data()), queue);
}

void FabricDomain::SampleLinks(Time time) {
  for (std::uint32_t index = 0; index < ports_.size(); ++index) {
    const Port& port = ports_[index];
    PortExtras& extras = extras_[index];
    if (port.sent_bytes == extras.monitored_bytes) continue;
    // The first sample, at the start, only says what the next one counts from.
    if (time > context_->options.monitors.start) {
      monitored_.links.push_back(
          {time, nodes_[port.node].id, NumberOf(index), port.sent_bytes - extras.monitored_bytes});
    }
    extras.monitored_bytes = port.sent_bytes;
  }
}

void FabricDomain::SamplePairs(Time time) {
  for (std::uint32_t slot : LiveQueuePairs()) {
    if (context_->options.monitors.rates) SampleRate(time, &queue_pairs_[slot]);
    if (context_->options.monitors.cnps) SampleCnps(time, &queue_pairs_[slot]);
  }
}

void FabricDomain::SampleRate(Time time, QueuePair* pair) {
  if (pair->pace.rate.bps == pair->seen_rate || time < context_->options.monitors.start) return;
  pair->seen_rate = pair->pace.rate.bps;
  monitored_.rates.push_back({time, pair->flow, pair->destination, pair->source_port,
                              pair->destination_port, pair->size, pair->pace.rate.bps});
}

void FabricDomain::SampleCnps(Time time, QueuePair* pair) {
  if (pair->cnps == pair->seen_cnps || time < context_->options.monitors.start) return;
  pair->seen_cnps = pair->cnps;
  monitored_.cnps.push_back({time, pair->flow, pair->destination, pair->source_port,
                             pair->destination_port, pair->size, pair->cnps});
}

void FabricDomain::SampleLast(QueuePair* pair) {
  // A queue pair that ends between two samples is not forgotten.
  if (context_->options.monitors.rates) SampleRate(now_, pair);
  if (context_->options.monitors.cnps) SampleCnps(now_, pair);
}

MonitorRecords FabricDomain::TakeMonitorRecords(Time time) {
  if (time > next_sample_) TakeSamples(time);
  MonitorRecords taken;
  std::swap(taken, monitored_);
  return taken;
}

}  // namespace heddle
