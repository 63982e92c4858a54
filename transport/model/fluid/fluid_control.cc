// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/fluid/fluid_control.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {
namespace {

/// CNPs come this much before a tick: checks follow them by DCQCN's interval and this offset, and
/// so are due at ticks.
constexpr Time kBeforeTick = NanoSeconds(1);
/// Least claim of a flow, so that levels of filling stay within 63 bits.
constexpr FluidWeight kLeastClaim = kWholeWeight / 256;

/// base^n by squaring: only multiplications, so the same bits on every machine.
double ToThe(double base, std::int64_t n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base) {
    if ((n & 1) != 0) result *= base;
  }
  return result;
}

/// With a queue of so many bytes.
double ChanceOfMark(const EcnTable::Thresholds& at, std::int64_t queued) {
  if (queued <= at.kmin) return 0;
  if (queued > at.kmax) return 1;
  return at.pmax * static_cast<double>(queued - at.kmin) / static_cast<double>(at.kmax - at.kmin);
}

}  // namespace

FluidControl::FluidControl(const Options& options, const std::vector<EcnTable::Thresholds>& marks,
                           FluidNetwork* network)
    : options_(options),
      dcqcn_(options.dcqcn, options.rates),
      network_(*network),
      ports_(marks.size()),
      meetings_(marks.size()) {
  HEDDLE_EXPECT(options.tick > Time{0} && options.packet > 0);
  for (std::size_t i = 0; i < marks.size(); ++i) ports_[i].marks = marks[i];
}

template <class Visit>
void FluidControl::ForEachPort(std::uint32_t id, const Visit& visit) const {
  // The first link is the source's, whose queue pairs wait instead.
  for (std::uint32_t place = 1; place < network_.LengthOf(id); ++place) {
    const FluidHop hop = network_.HopOf(id, place);
    if (ports_[hop.link].marks.kmax > 0) visit(hop.link, hop.weight);
  }
}

void FluidControl::Begin(std::uint32_t id, FlowId name, const FluidWindow& window, BitRate line,
                         Time now) {
  if (id >= flows_.size()) flows_.resize(id + 1);
  Flow& flow = flows_[id];
  flow = Flow();
  flow.open = true;
  flow.window = std::max<FluidVolume>(window.volume - FluidVolumeOf(options_.packet), 0);
  flow.trip = window.round_trip;
  flow.pace.line_rate = line;
  dcqcn_.Start(&flow.state, &flow.pace, options_.seed, name);
  flow.random = RandomStream(options_.seed, name.packed(), RandomPurpose::kEcnMarking);
  flow.left = network_.LeftOf(id, now);
  flow.at = now;
  Count(id, /*comes=*/true);
  const std::size_t before = watched_.size();
  ForEachPort(id, [this](std::uint32_t link, FluidWeight) {
    Meeting& meeting = meetings_[link];
    if (meeting.hot || !MayMark(link)) return;
    meeting.hot = true;
    network_.ForEachAt(link, [this](std::uint32_t other, FluidWeight) { Watch(other); });
  });
  if (IsHot(id)) Watch(id);
  if (watched_.size() > before) next_ = std::min(next_, FirstTickAfter(now));
}

void FluidControl::End(std::uint32_t id) {
  Count(id, /*comes=*/false);
  flows_[id].open = false;
  flows_[id].watched = false;  // watched_ forgets it at the next tick
  ForEachPort(id, [this](std::uint32_t link, FluidWeight) {
    Meeting& meeting = meetings_[link];
    meeting.hot = meeting.hot && MayMark(link);
  });
}

void FluidControl::Count(std::uint32_t id, bool comes) {
  const Flow& flow = flows_[id];
  ForEachPort(id, [&](std::uint32_t link, FluidWeight weight) {
    Meeting& meeting = meetings_[link];
    const FluidVolume window = PartOf(flow.window, weight);
    meeting.windows += comes ? window : -window;
    meeting.trips += comes ? flow.trip : Time{0} - flow.trip;
    meeting.flows += comes ? 1U : ~0U;
  });
}

bool FluidControl::MayMark(std::uint32_t link) const {
  const Meeting& meeting = meetings_[link];
  if (meeting.flows < 2 || meeting.windows == 0) return meeting.flows > 1;
  const Time trip{meeting.trips.ps / meeting.flows};
  return meeting.windows >
         FluidVolumeOf(ports_[link].marks.kmin) + FlowsIn(network_.CapacityOf(link), trip);
}

void FluidControl::Watch(std::uint32_t id) {
  // The network may have flows that have not begun here.
  if (id >= flows_.size() || !flows_[id].open || flows_[id].watched) return;
  flows_[id].watched = true;
  watched_.push_back(id);
}

bool FluidControl::IsHot(std::uint32_t id) const {
  bool hot = false;
  ForEachPort(id, [&](std::uint32_t link, FluidWeight) { hot = hot || meetings_[link].hot; });
  return hot;
}

void FluidControl::SetSender(std::uint32_t id, const Sender& sender, Time now) {
  flows_[id].pace = sender.pace;
  flows_[id].state = sender.state;
  if (dcqcn_.NextTimer(sender.state) == Time::Max()) return;
  Watch(id);
  next_ = std::min(next_, FirstTickAfter(now));
}

FluidVolume FluidControl::WindowOf(const Flow& flow) const {
  // A packet is sent if less than the window is in flight.
  const FluidVolume packet = FluidVolumeOf(options_.packet);
  if (!options_.scales_window || flow.pace.rate == flow.pace.line_rate) return flow.window + packet;
  return packet + static_cast<FluidVolume>(static_cast<WideUnsigned>(flow.window) *
                                           static_cast<std::uint64_t>(flow.pace.rate.bps) /
                                           static_cast<std::uint64_t>(flow.pace.line_rate.bps));
}

void FluidControl::Tick() {
  const Time now = next_;
  ++ticks_;
  // Of flows that have ended, or whose number is another one's.
  watched_.erase(std::remove_if(watched_.begin(), watched_.end(),
                                [this](std::uint32_t id) { return !flows_[id].watched; }),
                 watched_.end());
  std::sort(watched_.begin(), watched_.end());
  watched_.erase(std::unique(watched_.begin(), watched_.end()), watched_.end());
  delivered_.clear();
  for (const std::uint32_t id : watched_) Advance(id, now);
  FillQueues();
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    Flow& flow = flows_[watched_[i]];
    if (Draw(&flow, delivered_[i])) {
      AckSignals signals;
      signals.now = now - kBeforeTick;
      signals.congestion = true;
      dcqcn_.OnAck(&flow.state, &flow.pace, signals);
    }
    dcqcn_.OnTimer(&flow.state, &flow.pace, now);
    Apply(watched_[i]);
  }
  Schedule(now);
}

/// Brings a flow's bytes in flight up to date.
void FluidControl::Advance(std::uint32_t id, Time now) {
  Flow& flow = flows_[id];
  const FluidVolume left = network_.LeftOf(id, now);
  const FluidVolume delivered = std::max<FluidVolume>(flow.left - left, 0);
  const Time passed = now - flow.at;
  delivered_.push_back(delivered);
  const std::uint32_t place = network_.bottleneck(id);
  const FluidRate rate = network_.rate(id);
  const FluidVolume pipe = FlowsIn(rate, flow.trip);
  const std::uint32_t link = place == kNone || place == 0 ? kNone : network_.HopOf(id, place).link;
  if (link != kNone && ports_[link].marks.kmax > 0) {
    flow.held = link;
    const std::uint32_t first = network_.HopOf(id, 0).link;
    // Sources serve their queue pairs in turn: an equal part each, and what others leave.
    const auto sharers = static_cast<FluidRate>(std::max<std::size_t>(network_.FlowsAt(first), 1));
    const FluidRate capacity = network_.CapacityOf(first);
    const FluidRate free = std::max<FluidRate>(capacity - network_.LoadOf(first), 0);
    const FluidRate source =
        std::min(FluidRateOf(flow.pace.rate), std::max(rate + free / sharers, capacity / sharers));
    const FluidVolume after = flow.flight - delivered;
    FluidVolume room = FlowsIn(source, passed);
    if (flow.window > 0) room = std::min(room, std::max<FluidVolume>(WindowOf(flow) - after, 0));
    flow.flight = after + room;
  } else {
    flow.flight = pipe;  // its source, or its pace, is slower than any port
    if (place == 0) flow.held = kNone;
  }
  flow.flight = std::max<FluidVolume>(std::min(flow.flight, left), 0);
  flow.left = left;
  flow.at = now;
}

void FluidControl::FillQueues() {
  for (const Queued& queued : queued_) network_.SetQueueWait(queued.link, Time{0});
  queued_.clear();
  for (const std::uint32_t id : watched_) {
    const Flow& flow = flows_[id];
    if (flow.held == kNone) continue;
    Meeting& meeting = meetings_[flow.held];
    if (meeting.tick != ticks_) {
      meeting.tick = ticks_;
      meeting.queue = 0;
      queued_.push_back({flow.held, Time{0}});
    }
    meeting.queue += std::max<FluidVolume>(flow.flight - FlowsIn(network_.rate(id), flow.trip), 0);
  }
  for (Queued& queued : queued_) {
    const FluidVolume queue = meetings_[queued.link].queue;
    Port& port = ports_[queued.link];
    port.most = std::max(port.most, queue);
    if (queue > FluidVolumeOf(port.marks.kmin)) port.above += options_.tick;
    queued.wait = TimeOfVolume(queue, network_.CapacityOf(queued.link));
    network_.SetQueueWait(queued.link, queued.wait);
  }
}

bool FluidControl::Draw(Flow* flow, FluidVolume delivered) {
  if (flow->held == kNone) return false;
  flow->passed += delivered;
  const FluidVolume packet = FluidVolumeOf(options_.packet);
  const std::int64_t packets = flow->passed / packet;
  flow->passed %= packet;
  Port& port = ports_[flow->held];
  const std::int64_t queued = meetings_[flow->held].queue >> kVolumeBits;
  const double chance = ChanceOfMark(port.marks, queued);
  if (chance <= 0 || packets == 0) return false;
  const double none = ToThe(1 - chance, packets);
  if (flow->random.Uniform() < none) return false;
  // How many of them are marked if any is, on average.
  const double marked = static_cast<double>(packets) * chance / (1 - none);
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(marked + 0.5), 1);
  ++port.cnps;
  port.marked += count;
  ++cnps_;
  marked_ += count;
  return true;
}

/// Lets the network know a flow's pace and claim.
void FluidControl::Apply(std::uint32_t id) {
  Flow& flow = flows_[id];
  const FluidVolume window = WindowOf(flow);
  const bool drains = flow.window > 0 && flow.flight > window + FluidVolumeOf(options_.packet);
  const bool slow = flow.pace.rate < flow.pace.line_rate;
  network_.Limit(id, slow && !drains ? FluidRateOf(flow.pace.rate) : kNoLimit);
  if (drains) return;  // what is queued leaves at the share that it had
  FluidWeight claim = kWholeWeight;
  if (flow.held != kNone && flow.window > 0 && meetings_[flow.held].hot &&
      meetings_[flow.held].queue > 0 && network_.bottleneck(id) != kNone) {
    const FluidVolume flight = std::min(flow.flight, flow.window);
    claim = std::max(kLeastClaim,
                     static_cast<FluidWeight>(static_cast<WideUnsigned>(flight) * kWholeWeight /
                                              static_cast<std::uint64_t>(flow.window)));
  }
  network_.SetClaim(id, claim);
}

/// The next tick is the next one of the grid while a port may mark, else that of the first timer.
void FluidControl::Schedule(Time now) {
  Time due = Time::Max();
  std::size_t kept = 0;
  for (const std::uint32_t id : watched_) {
    Flow& flow = flows_[id];
    const bool hot = IsHot(id);
    const Time timer = dcqcn_.NextTimer(flow.state);
    if (hot) due = now;
    due = std::min(due, timer);
    flow.watched = hot || timer != Time::Max();
    if (flow.watched) watched_[kept++] = id;
  }
  watched_.resize(kept);
  if (due == Time::Max()) {
    next_ = due;
    return;
  }
  const std::int64_t tick = options_.tick.ps;
  next_ = std::max(FirstTickAfter(now), options_.tick * ((due.ps + tick - 1) / tick));
}

void FluidControl::Rebuild() {
  watched_.clear();
  for (Meeting& meeting : meetings_) {
    const bool hot = meeting.hot;
    meeting = Meeting();
    meeting.hot = hot;
  }
  for (std::uint32_t id = 0; id < flows_.size(); ++id) {
    Flow& flow = flows_[id];
    ExpectState(flow.open == network_.is_open(id) && (!flow.watched || flow.open),
                "a fluid whose congestion control is another one's");
    if (!flow.open) continue;
    ExpectState(flow.window >= 0 && flow.trip >= Time{0} && flow.pace.line_rate.bps > 0 &&
                    flow.pace.rate.bps > 0 && flow.flight >= 0 && flow.passed >= 0 &&
                    (flow.held == kNone || flow.held < ports_.size()),
                "congestion control of a fluid that is out of bounds");
    Count(id, /*comes=*/true);
    if (flow.watched) watched_.push_back(id);
  }
  for (const Queued& queued : queued_) {
    ExpectState(queued.link < ports_.size(), "a queue at no link");
    network_.SetQueueWait(queued.link, queued.wait);
  }
}

std::size_t FluidControl::memory() const {
  return MemoryOf(ports_) + MemoryOf(meetings_) + MemoryOf(flows_) + MemoryOf(watched_) +
         MemoryOf(queued_) + MemoryOf(delivered_);
}

}  // namespace heddle
