// SPDX-License-Identifier: GPL-2.0-only
// Islands that skip cycles.
#include <algorithm>
#include <optional>
#include <utility>

#include "transport/domain/replay/past.h"
#include "transport/domain/replay/replay_side.h"
#include "transport/domain/sending/sender.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostLooks = 64;   ///< for one cycle
constexpr std::uint32_t kLongestWait = 8;  ///< between two searches: doublings
constexpr std::int64_t kLeastHops = 1000;  ///< that a jump saves
constexpr Time kMoment = PicoSeconds(1);

}  // namespace

bool ReplaySide::MayJump(const DomainState& state) {
  const FabricContext& context = state.context();
  const ReliabilityOptions& reliability = context.options.reliability;
  // The others keep bytes or times that are not counted from the present.
  return !context.tails && !reliability.selective_repeat && reliability.reorder == 0 &&
         !reliability.simai_acks;
}

void ReplaySide::SearchCycle(DomainState& state, Island* island, Time length) {
  if (island->jump.is_on() && state.now() >= island->jump.end) EndJump(state, island);
  CycleSearch& search = island->search;
  if (!may_jump_ || island->jump.is_on() || length <= Time{0}) return;
  if (search.is_on && search.length == length) return;
  search = {};
  search.is_on = true;
  search.length = length;
  WakeAt(state, island, state.now() + kMoment, kAtOnce);
}

void ReplaySide::LookForCycle(DomainState& state, Island* island) {
  CycleSearch& search = island->search;
  const IslandView view(&state, *island, map_, NumberOf(*island));
  IslandState seen;
  const IslandView::Sight sight = view.Look(state.now(), search.first, &seen);
  if (sight == IslandView::Sight::kUnsound || OddEvents(state, *island) != island->odd)
    return PutOff(state, island, 0);
  if (!search.first) {
    search.first = std::move(seen);
  } else if (sight == IslandView::Sight::kSame) {
    const IslandCycle cycle = IslandView::Between(*search.first, seen);
    if (Jump(state, island, cycle)) {
      search = {};
    } else {
      PutOff(state, island, ++search.failures);
    }
    return;
  }
  if (++search.looks > kMostLooks) return PutOff(state, island, ++search.failures);
  WakeAt(state, island, search.first->at + search.length * search.looks, kAtOnce);
}

void ReplaySide::PutOff(DomainState& state, Island* island, std::uint32_t failures) {
  CycleSearch& search = island->search;
  search.first.reset();
  search.looks = 0;
  const std::int64_t cycles = std::int64_t{kMostLooks} << std::min(failures, kLongestWait);
  WakeAt(state, island, state.now() + search.length * cycles, kAtOnce);
}

bool ReplaySide::Jump(DomainState& state, Island* island, const IslandCycle& cycle) {
  const IslandView view(&state, *island, map_, NumberOf(*island));
  const std::int64_t times = view.MostCycles(cycle);
  if (times * cycle.hops < kLeastHops || !RepeatLoad(state, island, cycle, times)) return false;
  view.Move(cycle, times, view.TakeEvents());
  IslandJump& jump = island->jump;
  jump.from = state.now();
  jump.end = state.now() + cycle.length * times;
  jump.cycle = cycle;
  jump.times = times;
  jumping_.push_back(NumberOf(*island));
  CountJump(state, island, cycle, times);
  return true;
}

bool ReplaySide::RepeatLoad(const DomainState& state, Island* island, const IslandCycle& cycle,
                            std::int64_t times) {
  std::vector<LoadCurve>& load = island->record->load;
  std::vector<std::int64_t> bytes(load.size(), 0);
  for (std::size_t label = 0; label < island->ports.size(); ++label) {
    if (cycle.sent[label].packets == 0) continue;
    bytes[state.ports()[island->ports[label]].tier] += cycle.sent[label].bytes;
  }
  const auto fits = [&](std::size_t slot) {
    if (bytes[slot] == 0) return true;
    const LoadCurve& curve = load[slot];
    if (!curve.repeats() || curve.cycle_time() <= 0) return false;
    // A short cycle in the last part of a long one may have the same bytes for its time.
    if (curve.repeats_after() >= (state.now() - cycle.length - island->begin).ps) return false;
    const std::int64_t cycles = cycle.length.ps / curve.cycle_time();
    return cycles * curve.cycle_time() == cycle.length.ps &&
           cycles * curve.cycle_bytes() == bytes[slot];
  };
  for (std::size_t slot = 0; slot < load.size(); ++slot) {
    if (!fits(slot)) return false;
  }
  IslandJump& jump = island->jump;
  for (std::size_t slot = 0; slot < load.size(); ++slot) {
    jump.loaded.push_back(load[slot].total());
    jump.cycles.push_back(bytes[slot] > 0 ? cycle.length.ps / load[slot].cycle_time() : 0);
    if (bytes[slot] > 0) load[slot].Repeat(times * jump.cycles[slot]);
    jump.totals.push_back(load[slot].total());
  }
  return true;
}

void ReplaySide::CountJump(DomainState& state, Island* island, const IslandCycle& cycle,
                           std::int64_t times) {
  DomainBooks& books = state.books();
  for (std::size_t label = 0; label < island->ports.size(); ++label) {
    const Port& port = state.ports()[island->ports[label]];
    const SentTotal& sent = cycle.sent[label];
    books.link_packets += times * sent.packets;
    if (port.has(Port::kAtHost)) {
      books.injected_packets += times * sent.packets;
      books.injected_bytes += times * sent.bytes;
    }
    if (state.ports()[port.far_port].has(Port::kAtHost)) {
      books.received_packets += times * sent.packets;
      books.received_bytes += times * sent.bytes;
    }
  }
  island->jumped += times * cycle.hops;
  figures_.hops += times * cycle.hops;
  figures_.skipped += times * cycle.hops;
}

void ReplaySide::Disturb(DomainState& state, Island* island, Time time, std::uint64_t reached) {
  if (island->search.is_on) PutOff(state, island, 0);
  if (!island->jump.is_on()) return;
  if (time >= island->jump.end) {
    EndJump(state, island);
  } else {
    StepBack(state, island, time, reached);
  }
}

void ReplaySide::StepBack(DomainState& state, Island* island, Time time, std::uint64_t reached) {
  const IslandJump jump = std::move(island->jump);
  island->jump = {};
  jumping_.erase(std::find(jumping_.begin(), jumping_.end(), NumberOf(*island)));
  const std::int64_t done = (time - jump.from).ps / jump.cycle.length.ps;
  const std::int64_t back = done - jump.times;
  std::vector<LoadCurve>& load = island->record->load;
  for (std::size_t slot = 0; slot < jump.cycles.size(); ++slot) {
    if (jump.cycles[slot] > 0) load[slot].Repeat(back * jump.cycles[slot]);
  }
  const auto current = state.tier_load().current();
  const bool tells_load = !state.clock().reexecutes;  // else whoever simulates the past counts it
  const IslandView view(&state, *island, map_, NumberOf(*island));
  std::vector<Event> events = view.TakeEvents();
  InPast(state, jump.from + jump.cycle.length * done, true, [&] {
    view.Move(jump.cycle, back, std::move(events));
    CountJump(state, island, jump.cycle, back);
    state.RunPast(time, reached);
  });
  for (std::uint32_t input : island->under_way)
    state.parts().sender.WatchAgain(state, island->inputs[input].slot);
  if (!tells_load) return;
  state.tier_load().SetCurrent(current);
  for (std::size_t slot = 0; slot < load.size(); ++slot) {
    const std::int64_t loaded = slot < jump.loaded.size() ? jump.loaded[slot] : 0;
    state.tier_load().Add(static_cast<std::uint8_t>(slot), load[slot].total() - loaded);
  }
}

void ReplaySide::EndJump(DomainState& state, Island* island) {
  if (!state.clock().reexecutes) LoadJump(state, island, Time::Max());
  jumping_.erase(std::find(jumping_.begin(), jumping_.end(), NumberOf(*island)));
  island->jump = {};
}

void ReplaySide::LoadJump(DomainState& state, Island* island, Time time) {
  IslandJump& jump = island->jump;
  for (std::size_t slot = 0; slot < jump.totals.size(); ++slot) {
    std::int64_t bytes = jump.totals[slot];
    if (time < jump.end)
      bytes = std::min(bytes, island->record->load[slot].Before((time - island->begin).ps));
    state.tier_load().Add(static_cast<std::uint8_t>(slot), bytes - jump.loaded[slot]);
    jump.loaded[slot] = bytes;
  }
}

}  // namespace heddle
