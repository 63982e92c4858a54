// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {

ServingInstance::ServingInstance(const ServingPlan& plan, const ServingRequests& requests,
                                 std::uint32_t number, ServingNetwork* network)
    : plan_(plan),
      requests_(requests),
      number_(number),
      network_(network),
      batcher_(plan.instances[number].limits,
               BlockPool(plan.instances[number].blocks, plan.block_tokens),
               plan.prefix_cache ? &requests : nullptr) {
  totals_.instance = number;
}

ServingRecord& ServingInstance::Open(std::uint32_t request) {
  const auto found = open_.find(request);
  HEDDLE_INVARIANT(found != open_.end(),
                   fmt::format("instance {}: request {} is not here", number_, request));
  return found->second;
}

void ServingInstance::Close(std::uint32_t request, bool wholly, Time at) {
  records_.push_back(Open(request));
  open_.erase(request);
  peers_.erase(request);
  if (plan_.has_router())
    network_->Send({ServingMessage::Kind::kEnded, 0, request, number_, ServingPlan::kRouterInstance,
                    wholly ? 1U : 0U, 0, 0},
                   at);
}

bool ServingInstance::Fits(const ServingRequest& request, std::uint32_t decoder) const {
  // The last token of the answer needs no KV; a prefill instance keeps the prompt's alone.
  const std::int64_t all = std::int64_t{request.input} + request.output - 1;
  for (const std::uint32_t place : {number_, decoder}) {
    const InstancePlan& here = plan_.instances[place];
    const std::int64_t tokens = here.role == InstanceRole::kPrefill ? request.input : all;
    if (BlockPool(here.blocks, plan_.block_tokens).BlocksFor(tokens) > here.blocks) return false;
    if (!here.limits.chunked && tokens > here.limits.token_budget) return false;
  }
  return true;
}

void ServingInstance::Arrive(std::uint32_t request, std::uint32_t decoder, Time at) {
  ServingRecord& record = open_[request];
  record.request = request;
  record.instance = number_;
  peers_[request] = decoder;
  const ServingRequest& asked = requests_[request];
  if (!Fits(asked, decoder)) {
    record.rejected = true;
    return Close(request, true, at);
  }
  Sequence sequence;
  sequence.request = request;
  sequence.tokens = asked.input;
  sequence.goal = plan().role == InstanceRole::kPrefill ? 1 : asked.output;
  batcher_.Queue(sequence);
}

void ServingInstance::Receive(const ServingMessage& message, Time at) {
  if (message.kind == ServingMessage::Kind::kGrant) return TakeGrant(message);
  if (message.kind == ServingMessage::Kind::kKv) return TakeShare(message, at);
  ServingRecord& record = open_[message.request];
  record.request = message.request;
  record.instance = number_;
  peers_[message.request] = message.from;
  offers_.push_back(message.request);
}

void ServingInstance::TakeGrant(const ServingMessage& message) {
  const std::uint32_t request = message.request;
  Sending& sending = sendings_.at(request);
  sending.granted = true;
  sending.there = message.there;
  sending.sent = plan_.KvUnits(message.tokens_there());
  const std::uint64_t units = plan_.KvUnits(requests_[request].input) - sending.sent;
  missing_[request] = units * plan_.SharesOf(number_, message.from).size();
}

void ServingInstance::Grant(Time at) {
  while (!offers_.empty()) {
    const std::uint32_t request = offers_.front();
    const ServingRequest& asked = requests_[request];
    const bool passed_on = plan_.first_token == FirstToken::kPrefill;
    Sequence sequence;
    sequence.request = request;
    sequence.tokens = std::int64_t{asked.input} + (passed_on ? 1 : 0);
    sequence.computed = sequence.tokens - 1;
    sequence.generated = passed_on ? 1 : 0;
    sequence.goal = asked.output;
    if (!batcher_.Reserve(&sequence)) return;
    offers_.pop_front();
    arriving_[request] = sequence;
    const std::uint32_t prefill = peers_.at(request);
    const auto there = static_cast<std::uint16_t>(sequence.shared);
    ServingMessage grant{ServingMessage::Kind::kGrant, there, request, number_, prefill, 0, 0, 0};
    const std::uint64_t units = plan_.KvUnits(asked.input) - plan_.KvUnits(grant.tokens_there());
    missing_[request] = units * plan_.SharesOf(prefill, number_).size();
    ServingRecord& record = Open(request);
    record.granted = at;
    AddCached(grant.tokens_there(), &record);
    network_->Send(grant, at);
  }
}

void ServingInstance::Offer(std::uint32_t request, Time at) {
  const std::uint32_t decoder = peers_.at(request);
  sendings_[request] = {};
  network_->Send({ServingMessage::Kind::kOffer, 0, request, number_, decoder, 0, 0, 0}, at);
}

void ServingInstance::SetReady(std::uint32_t request, std::int64_t units) {
  const auto found = sendings_.find(request);
  if (found == sendings_.end()) return;
  found->second.ready = std::max(found->second.ready, static_cast<std::uint32_t>(units));
}

void ServingInstance::SendReady(Time at) {
  for (auto next = sendings_.begin(); next != sendings_.end();) {
    auto& [request, sending] = *next;
    if (sending.granted && sending.ready > sending.sent) {
      ServingRecord& record = Open(request);
      if (record.sending < Time{}) record.sending = at;
      const std::uint32_t decoder = peers_.at(request);
      const auto shares = static_cast<std::uint32_t>(plan_.SharesOf(number_, decoder).size());
      for (std::uint32_t share = 0; share < shares; ++share)
        network_->Send({ServingMessage::Kind::kKv, sending.there, request, number_, decoder, share,
                        sending.sent, sending.ready},
                       at);
      sending.sent = sending.ready;
    }
    const bool all = sending.sent == plan_.KvUnits(requests_[request].input);
    next = all ? sendings_.erase(next) : std::next(next);
  }
}

void ServingInstance::Left(const ServingMessage& message, Time at) {
  if ((missing_.at(message.request) -= message.end - message.begin) > 0) return;
  missing_.erase(message.request);
  batcher_.Free(&parked_.at(message.request));
  parked_.erase(message.request);
  Close(message.request, false, at);
}

void ServingInstance::TakeShare(const ServingMessage& message, Time at) {
  if ((missing_.at(message.request) -= message.end - message.begin) > 0) return;
  missing_.erase(message.request);
  Open(message.request).arrived = at;
  batcher_.Join(arriving_.at(message.request));
  arriving_.erase(message.request);
}

void ServingInstance::AddToken(const Sequence& sequence, Time at) {
  ServingRecord& record = Open(sequence.request);
  if (record.computed < Time{}) record.computed = at;
  if (record.first < Time{}) {
    record.first = at;
  } else {
    ++gaps_[(at - record.last).ps];
  }
  record.last = at;
  ++record.tokens;
  ++totals_.generated;
}

void ServingInstance::EndStep(Time at) {
  busy_ = false;
  totals_.busy += at - begun_;
  totals_.collectives += at - begun_ - computing_;
  std::vector<Sequence> listed;
  batcher_.End(&listed);
  if (sends_early()) {
    const std::uint32_t parts = plan_.kv_transfer == KvTransfer::kLayer ? plan_.LayerParts() : 1;
    batcher_.ForEach(
        [&](const Sequence& sequence) { SetReady(sequence.request, sequence.computed * parts); });
  }
  for (const Sequence& sequence : listed) {
    AddToken(sequence, at);
    if (sequence.generated >= sequence.goal) Finish(sequence, at);
  }
  CheckCounts();
}

void ServingInstance::Finish(Sequence sequence, Time at) {
  const std::uint32_t request = sequence.request;
  if (plan().role != InstanceRole::kPrefill || EndsHere(request)) {
    batcher_.Free(&sequence);
    return Close(request, plan().role == InstanceRole::kPrefill, at);
  }
  parked_[request] = sequence;
  if (!sends_early()) Offer(request, at);
  SetReady(request, plan_.KvUnits(requests_[request].input));
}

void ServingInstance::EndPart(std::uint32_t part) {
  batcher_.ForEach([&](const Sequence& sequence) {
    SetReady(sequence.request, sequence.computed * plan_.LayerParts() + sequence.now * part);
  });
}

std::vector<Time> ServingInstance::PartTimes(Time end) const {
  std::vector<Time> times;
  if (!sends_early() || plan_.kv_transfer != KvTransfer::kLayer) return times;
  const std::int64_t parts = plan_.LayerParts(), length = (end - begun_).ps;
  for (std::int64_t part = 1; part < parts; ++part)
    times.push_back(begun_ +
                    Time{static_cast<std::int64_t>((__int128{length} * part + parts - 1) / parts)});
  return times;
}

Time ServingInstance::Continue(Time at) {
  Time end = Time::Max();
  if (!busy_ && batcher_.has_work()) {
    const StepWork work = batcher_.Form();
    for (const std::uint32_t request : batcher_.preempted()) ++Open(request).preempted;
    totals_.preempted += static_cast<std::int64_t>(batcher_.preempted().size());
    for (std::size_t i = 0; i < batcher_.begun().size(); ++i) {
      const std::uint32_t request = batcher_.begun()[i];
      ServingRecord& record = Open(request);
      if (record.begun >= Time{}) continue;
      record.begun = at;
      if (plan().role != InstanceRole::kDecode) AddCached(batcher_.found()[i], &record);
      if (sends_early() && !EndsHere(request)) Offer(request, at);
    }
    if (work.tokens > 0) end = BeginStep(work, at);
  }
  Grant(at);
  SendReady(at);
  totals_.most_blocks = batcher_.pool().most();
  return end;
}

Time ServingInstance::BeginStep(const StepWork& work, Time at) {
  const auto number = static_cast<std::uint32_t>(totals_.steps++);
  totals_.computed += work.tokens;
  busy_ = true;
  begun_ = at;
  computing_ = plan().cost.Of(work);
  if (!plan().sends_in_steps()) return at + computing_ + plan().collectives.TimeOf(work.tokens);
  network_->BeginStep(number_, {number, work.tokens, computing_, at});
  return Time::Max();
}

void ServingInstance::AddCached(std::int64_t tokens, ServingRecord* record) {
  record->cached = static_cast<std::uint32_t>(tokens);
  totals_.cached += tokens;
}

void ServingInstance::AddRecords(std::vector<ServingRecord>* records) const {
  records->insert(records->end(), records_.begin(), records_.end());
  for (const auto& [request, record] : open_) records->push_back(record);
}

std::string ServingInstance::WaitsFor(std::uint32_t request) const {
  for (const std::uint32_t offered : offers_) {
    if (offered == request) return "for room at its decode instance";
  }
  const auto sending = sendings_.find(request);
  const bool computed = parked_.count(request) > 0;
  if (computed && sending != sendings_.end() && !sending->second.granted)
    return "for a grant of its decode instance";
  if (arriving_.count(request) > 0 || computed) return "for its KV cache";
  return "for its next step";
}

std::int64_t ServingInstance::CountShared() const {
  std::int64_t shared = 0;
  const auto add = [&](const Sequence& sequence) { shared += sequence.shared; };
  batcher_.ForEach(add);
  for (const auto& [request, sequence] : arriving_) add(sequence);
  for (const auto& [request, sequence] : parked_) add(sequence);
  return shared;
}

void ServingInstance::CheckCounts() const {
  const BlockPool& pool = batcher_.pool();
  const PrefixCache& cache = batcher_.cache();
  const std::int64_t block = batcher_.prompt_block();
  std::int64_t held = batcher_.CountHeld() + static_cast<std::int64_t>(cache.held()) * block;
  for (const auto& [request, sequence] : arriving_) held += sequence.held;
  for (const auto& [request, sequence] : parked_) held += sequence.held;
  const std::int64_t idle = static_cast<std::int64_t>(cache.idle()) * block;
  HEDDLE_INVARIANT(held == pool.taken() && held + idle <= pool.blocks(),
                   fmt::format("instance {}: {} of {} blocks of KV memory are taken, requests hold "
                               "{}, the prefix cache keeps {} more",
                               number_, pool.taken(), pool.blocks(), held, idle));
  HEDDLE_INVARIANT(cache.holds() == CountShared(),
                   fmt::format("instance {}: requests hold {} blocks of the prefix cache, which "
                               "says {}",
                               number_, CountShared(), cache.holds()));
}

void ServingInstance::CheckBlocks() const {
  CheckCounts();
  HEDDLE_INVARIANT(
      batcher_.cache().IsSound(),
      fmt::format("instance {}: its prefix cache does not agree with itself", number_));
}

std::size_t ServingInstance::memory() const {
  return MemoryOf(records_) + MemoryOfTree(open_) + MemoryOfTree(peers_) + MemoryOfTree(gaps_) +
         batcher_.cache().memory() + MemoryOfTree(parked_) + MemoryOfTree(sendings_) +
         MemoryOfTree(arriving_) + (batcher_.running() + batcher_.waiting()) * sizeof(Sequence);
}

}  // namespace heddle
