// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/sampler.h"

#include <algorithm>
#include <utility>

#include "core/containers/state_count.h"

namespace heddle {
namespace {

/// Sets the times of what was sampled after the end to the end.
template <class Row>
void CutAt(Time end, std::vector<Row>* rows) {
  for (Row& row : *rows) row.time = std::min(row.time, end);
}

/// Moves rows of a time at or after `end` from `rows` to `later`; both keep their order.
template <class Row>
void KeepLater(Time end, std::vector<Row>* rows, std::vector<Row>* later) {
  const auto at = std::stable_partition(rows->begin(), rows->end(),
                                        [end](const Row& row) { return row.time < end; });
  later->assign(at, rows->end());
  rows->erase(at, rows->end());
}

template <class Row>
bool AreInTime(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.time >= Time{0}; });
}

}  // namespace

Sampler::Sampler(const MonitorOptions& options)
    : options_(options),
      watches_queues_(options.queues && options.on_change),
      watches_rates_(options.rates && options.on_change),
      watches_cnps_(options.cnps && options.on_change) {
  const auto first = [&](bool wanted, const SampleGrid& grid) {
    return wanted ? grid.AtOrAfter(Time{0}) : Time::Max();
  };
  next_queue_ = first(options.queues && !options.on_change, options.queue_grid());
  next_link_ = first(options.links, options.link_grid());
  if (options.links && options.start > Time{0}) next_link_ = options.start;
  next_pair_ = first((options.rates || options.cnps) && !options.on_change, options.pair_grid());
  next_ = std::min({next_queue_, next_link_, next_pair_});
}

void Sampler::CountPorts(std::size_t ports) {
  if (options_.queues) seen_queues_.resize(ports * kPriorities);
}

void Sampler::TakeSamples(DomainPorts& ports, SlotPool<QueuePair>* pairs, Time before) {
  while (next_ < before) {
    const Time time = next_;
    // Between the last event and `before` nothing changes: after one sample the next worth taking
    // is not before `before`.
    const auto advance = [&](Time* next, const SampleGrid& grid) {
      if (*next != time) return false;
      *next = grid.AtOrAfter(std::max(time + PicoSeconds(1), before));
      return true;
    };
    if (advance(&next_queue_, options_.queue_grid())) SampleQueues(ports, time);
    if (advance(&next_link_, options_.link_grid())) SampleLinks(ports, time);
    if (advance(&next_pair_, options_.pair_grid())) SamplePairs(pairs, time);
    next_ = std::min({next_queue_, next_link_, next_pair_});
  }
}

void Sampler::TakeLast(DomainPorts& ports, SlotPool<QueuePair>* pairs, Time end) {
  TakeSamples(ports, pairs, end + PicoSeconds(1));
  if (next_queue_ < Time::Max()) SampleQueues(ports, end);
  if (next_link_ < Time::Max()) SampleLinks(ports, end);
  if (next_pair_ < Time::Max()) SamplePairs(pairs, end);
  next_ = Time::Max();
  CutAt(end, &taken_.queues);
  CutAt(end, &taken_.links);
  CutAt(end, &taken_.rates);
  CutAt(end, &taken_.cnps);
}

void Sampler::SampleQueues(const DomainPorts& ports, Time time) {
  for (std::uint32_t port = 0; port < ports.ports().size(); ++port) {
    if (ports.ports()[port].has(Port::kAtHost)) continue;
    for (int queue = 0; queue < kPriorities; ++queue) SampleQueue(ports, time, port, queue);
  }
}

void Sampler::SampleQueue(const DomainPorts& ports, Time time, std::uint32_t index, int queue) {
  const Port& port = ports.ports()[index];
  std::uint32_t& seen = seen_queues_[index * kPriorities + static_cast<std::uint32_t>(queue)];
  const std::uint32_t bytes = port.queues[queue].bytes;
  if (bytes == seen || time < options_.start) return;
  seen = bytes;
  taken_.queues.push_back({time, ports.NodeOf(port).id, ports.NumberOf(index),
                           static_cast<std::uint8_t>(queue), bytes, port.queued_bytes});
}

void Sampler::SampleLinks(DomainPorts& ports, Time time) {
  for (std::uint32_t index = 0; index < ports.ports().size(); ++index) {
    const Port& port = ports.ports()[index];
    PortExtras& extras = ports.extras()[index];
    if (port.sent_bytes == extras.monitored_bytes) continue;
    // The first sample, at the start, only says what the next one counts from.
    if (time > options_.start) {
      taken_.links.push_back({time, ports.NodeOf(port).id, ports.NumberOf(index),
                              port.sent_bytes - extras.monitored_bytes});
    }
    extras.monitored_bytes = port.sent_bytes;
  }
}

void Sampler::SamplePairs(SlotPool<QueuePair>* pairs, Time time) {
  for (std::uint32_t slot : LiveQueuePairs(*pairs)) SamplePair(time, &(*pairs)[slot]);
}

void Sampler::SamplePair(Time time, QueuePair* pair) {
  if (options_.rates) SampleRate(time, pair);
  if (options_.cnps) SampleCnps(time, pair);
}

void Sampler::SampleRate(Time time, QueuePair* pair) {
  if (pair->pace.rate.bps == pair->seen_rate || time < options_.start) return;
  pair->seen_rate = pair->pace.rate.bps;
  taken_.rates.push_back({time, pair->flow, pair->destination, pair->source_port,
                          pair->destination_port, pair->bytes(), pair->pace.rate.bps});
}

void Sampler::SampleCnps(Time time, QueuePair* pair) {
  if (pair->cnps == pair->seen_cnps || time < options_.start) return;
  pair->seen_cnps = pair->cnps;
  taken_.cnps.push_back({time, pair->flow, pair->destination, pair->source_port,
                         pair->destination_port, pair->bytes(), pair->cnps});
}

void Sampler::AddPause(const PauseRecord& pause) {
  if (options_.pfc && pause.time >= options_.start) taken_.pauses.push_back(pause);
}

void Sampler::AddWeight(const WeightSample& sample) {
  if (options_.cast && sample.time >= options_.start) taken_.weights.push_back(sample);
}

MonitorRecords Sampler::Take(Time end) {
  MonitorRecords taken;
  std::swap(taken, taken_);
  KeepLater(end, &taken.queues, &taken_.queues);
  KeepLater(end, &taken.links, &taken_.links);
  KeepLater(end, &taken.rates, &taken_.rates);
  KeepLater(end, &taken.cnps, &taken_.cnps);
  return taken;
}

void Sampler::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kDomains, MemoryOf(seen_queues_));
  account->Add(Structure::kRecords, taken_.memory());
}

void Sampler::Check(std::size_t ports) const {
  const auto expect = [&](bool wanted, Time next) {
    ExpectState(wanted ? next >= Time{0} && next_ <= next : next == Time::Max(),
                "samples that nobody asked for");
  };
  expect(options_.queues && !options_.on_change, next_queue_);
  expect(options_.links, next_link_);
  expect((options_.rates || options_.cnps) && !options_.on_change, next_pair_);
  ExpectState(next_ >= Time{0} && AreInTime(taken_.queues) && AreInTime(taken_.links) &&
                  AreInTime(taken_.rates) && AreInTime(taken_.cnps),
              "a time before the beginning");
  ExpectState(
      (options_.queues || taken_.queues.empty()) && (options_.links || taken_.links.empty()) &&
          (options_.rates || taken_.rates.empty()) && (options_.cnps || taken_.cnps.empty()),
      "samples that nobody asked for");
  ExpectState(seen_queues_.size() == (options_.queues ? ports * kPriorities : 0),
              "samples of other ports");
}

std::vector<std::uint32_t> LiveQueuePairs(const SlotPool<QueuePair>& pairs) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < pairs.size(); ++slot) {
    if (pairs[slot].flow.source.valid()) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end(),
            [&](std::uint32_t a, std::uint32_t b) { return pairs[a].flow < pairs[b].flow; });
  return slots;
}

}  // namespace heddle
