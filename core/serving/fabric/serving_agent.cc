// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/fabric/serving_agent.h"

#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "core/checkpoint/state_archive.h"
#include "core/serving/serving_messages.h"

namespace heddle {

ServingAgent::ServingAgent(const ServingGround& ground, const std::vector<std::uint32_t>& instances,
                           std::vector<NodeId> gpus)
    : ground_(ground),
      gpus_(std::move(gpus)),
      machine_(ground.plan, ground.requests, instances, this),
      steps_(ground, gpus_, this) {}

void ServingAgent::Begin(FlowPoster* port) {
  port_ = port;
  machine_.Begin();
  WakeForNext();
}

void ServingAgent::Woken() {
  const Time now = wakes_.back();
  wakes_.pop_back();
  machine_.RunUntil(now - Behind());
  WakeForNext();
}

void ServingAgent::Sent(const FlowCookie& cookie, Time when) {
  if (TagOf(cookie).form != ParcelTag::Form::kMessage) return;
  const auto parcel = cookie.As<ServingParcel>();
  const ServingMessage& message = parcel.message;
  if (parcel.leg() != Leg::kMessage || message.kind != ServingMessage::Kind::kKv) return;
  const NodeId first = ground_.FirstOf(message.from), source = ground_.SourceOf(message);
  if (!ground_.Near(source, first))
    return PostMessage(message, Leg::kLeft, {source, first}, when, kServingControlBytes);
  machine_.Left(message, when);
  WakeForNext();
}

void ServingAgent::Received(const FlowCookie& cookie, Time when) {
  switch (TagOf(cookie).form) {
    case ParcelTag::Form::kMessage:
      ReceiveMessage(cookie.As<ServingParcel>(), when);
      break;
    case ParcelTag::Form::kPart:
      steps_.Received(cookie.As<PartParcel>().message, when);
      break;
    case ParcelTag::Form::kOrder: {
      const auto order = cookie.As<OrderParcel>();
      steps_.Begin(order.instance, order.group,
                   {order.step, order.tokens, Time{order.computing_ps}, when});
      break;
    }
  }
  WakeForNext();
}

void ServingAgent::ReceiveMessage(const ServingParcel& parcel, Time when) {
  const ServingMessage& message = parcel.message;
  if (parcel.leg() == Leg::kAsk) return PostShare(message, when);
  const NodeId first = ground_.FirstOf(message.to);
  if (parcel.leg() == Leg::kLeft) return machine_.Left(message, when);
  if (!IsFarShare(parcel, first)) return machine_.Arrived(message, when);
  PostMessage(message, Leg::kHere, {ground_.DestinationOf(message), first}, when,
              kServingControlBytes);
}

bool ServingAgent::Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const {
  const ParcelTag tag = TagOf(cookie);
  if (tag.mark != ParcelTag::kMark || tag.form > ParcelTag::Form::kOrder) return false;
  const auto [from, to] = tag.form == ParcelTag::Form::kMessage ? EndsOf(cookie.As<ServingParcel>())
                          : tag.form == ParcelTag::Form::kPart  ? EndsOf(cookie.As<PartParcel>())
                                                                : EndsOf(cookie.As<OrderParcel>());
  return from.valid() && (source.valid() ? source == from : true) &&
         (destination.valid() ? destination == to : source.valid() || Has(to));
}

bool ServingAgent::Awaits(const std::vector<Time>& wakes) const {
  return std::equal(wakes.begin(), wakes.end(), wakes_.rbegin(), wakes_.rend());
}

void ServingAgent::Save(StateWriter* to) const {
  *to << wakes_ << sent_ << step_sent_;
  machine_.Save(to);
  steps_.Save(to);
}

void ServingAgent::Load(StateReader* from) {
  *from >> wakes_ >> sent_ >> step_sent_;
  for (std::size_t i = 1; i < wakes_.size(); ++i)
    ExpectState(wakes_[i] < wakes_[i - 1], "wakes of instances in another order");
  machine_.Load(from);
  steps_.Load(from);
  const bool awake = machine_.next() == Time::Max() ||
                     (!wakes_.empty() && wakes_.back() <= machine_.next() + Behind());
  ExpectState(awake, "an instance that is not woken for its next event");
}

void ServingAgent::WakeForNext() {
  const Time next = machine_.next();
  if (next == Time::Max()) return;
  const Time wake = next + Behind();
  if (!wakes_.empty() && wakes_.back() <= wake) return;
  wakes_.push_back(wake);
  port_->WakeAt(wake);
}

bool ServingAgent::IsFarShare(const ServingParcel& parcel, NodeId first) const {
  return parcel.leg() == Leg::kMessage && parcel.message.kind == ServingMessage::Kind::kKv &&
         !ground_.Near(ground_.DestinationOf(parcel.message), first);
}

bool ServingAgent::Has(NodeId gpu) const {
  return std::binary_search(gpus_.begin(), gpus_.end(), gpu,
                            [](NodeId a, NodeId b) { return a.value < b.value; });
}

bool ServingAgent::CanSend(const ServingMessage& message) const {
  const std::vector<InstancePlan>& instances = ground_.plan.instances;
  if (message.request >= ground_.requests.size() || message.from >= instances.size() ||
      message.to >= instances.size() || message.kind > ServingMessage::Kind::kEnded)
    return false;
  if (message.kind >= ServingMessage::Kind::kRoute) return CanRoute(message);
  const bool back = message.kind == ServingMessage::Kind::kGrant;
  const std::uint32_t prefill = back ? message.to : message.from;
  const std::uint32_t decoder = back ? message.from : message.to;
  const bool roles = instances[prefill].role == InstanceRole::kPrefill &&
                     instances[decoder].role == InstanceRole::kDecode;
  const std::size_t shares = message.kind == ServingMessage::Kind::kKv && roles
                                 ? ground_.plan.SharesOf(prefill, decoder).size()
                                 : 1;
  const std::uint32_t tokens = ground_.requests[message.request].input;
  const std::uint64_t there = std::uint64_t{message.there} * kPromptBlockTokens;
  if (there >= tokens) return false;
  const bool units = message.kind != ServingMessage::Kind::kKv ||
                     (message.begin < message.end && message.end <= ground_.plan.KvUnits(tokens) &&
                      message.begin >= ground_.plan.KvUnits(message.tokens_there()));
  return roles && message.share < shares && units;
}

bool ServingAgent::CanRoute(const ServingMessage& message) const {
  const std::vector<InstancePlan>& instances = ground_.plan.instances;
  constexpr std::uint32_t kRouter = ServingPlan::kRouterInstance;
  if (!ground_.plan.has_router() || message.from == message.to) return false;
  if (message.kind == ServingMessage::Kind::kEnded)
    return message.to == kRouter && message.share <= 1;
  if (message.from != kRouter || message.share >= instances.size()) return false;
  const InstanceRole role = instances[message.to].role;
  return role == InstanceRole::kMixed ? message.share == message.to
                                      : role == InstanceRole::kPrefill &&
                                            instances[message.share].role == InstanceRole::kDecode;
}

ServingAgent::Ends ServingAgent::EndsOf(const ServingParcel& parcel) const {
  const ServingMessage& message = parcel.message;
  if (!CanSend(message) || parcel.leg() > Leg::kHere) return {};
  const NodeId from = ground_.FirstOf(message.from), to = ground_.FirstOf(message.to);
  if (message.kind != ServingMessage::Kind::kKv) return {from, to};
  switch (parcel.leg()) {
    case Leg::kMessage:
      return {ground_.SourceOf(message), ground_.DestinationOf(message)};
    case Leg::kAsk:
      return {from, ground_.SourceOf(message)};
    case Leg::kLeft:
      return {ground_.SourceOf(message), from};
    case Leg::kHere:
      break;
  }
  return {ground_.DestinationOf(message), to};
}

ServingAgent::Ends ServingAgent::EndsOf(const PartParcel& parcel) const {
  const StepMessage& message = parcel.message;
  if (message.instance >= ground_.plan.instances.size()) return {};
  const InstancePlan& instance = ground_.plan.instances[message.instance];
  if (!instance.sends_in_steps() ||
      !instance.collectives.Sends(message.operation, message.round, message.source,
                                  message.destination))
    return {};
  return {instance.gpus[message.source], instance.gpus[message.destination]};
}

ServingAgent::Ends ServingAgent::EndsOf(const OrderParcel& parcel) const {
  if (parcel.instance >= ground_.plan.instances.size()) return {};
  const InstancePlan& instance = ground_.plan.instances[parcel.instance];
  const bool known = instance.sends_in_steps() && parcel.group > 0 &&
                     parcel.group < instance.collectives.layout().groups && parcel.tokens > 0 &&
                     parcel.computing_ps >= 0;
  if (!known) return {};
  return {instance.gpus[0], ground_.GpuAt(parcel.instance, parcel.group, 0)};
}

void ServingAgent::Send(const ServingMessage& message, Time at) {
  if (message.from == message.to) return machine_.Arrived(message, at + ground_.latency);
  const NodeId from = ground_.FirstOf(message.from);
  if (message.kind != ServingMessage::Kind::kKv)
    return PostMessage(message, Leg::kMessage, {from, ground_.FirstOf(message.to)}, at,
                       kServingControlBytes);
  const NodeId source = ground_.SourceOf(message);
  if (ground_.Near(source, from)) return PostShare(message, at);
  PostMessage(message, Leg::kAsk, {from, source}, at, kServingControlBytes);
}

void ServingAgent::PostShare(const ServingMessage& message, Time at) {
  const std::int64_t bytes = ground_.plan.UnitBytes(
      ground_.ShareOf(message), {ground_.requests[message.request].input, message.tokens_there(),
                                 message.begin, message.end});
  sent_ += bytes;
  PostMessage(message, Leg::kMessage, {ground_.SourceOf(message), ground_.DestinationOf(message)},
              at, bytes);
}

void ServingAgent::PostMessage(const ServingMessage& message, Leg leg, const Ends& ends, Time at,
                               std::int64_t bytes) {
  ServingParcel parcel;
  parcel.message = message;
  parcel.tag.leg = static_cast<std::uint8_t>(leg);
  Post(parcel, ends, at, bytes);
}

void ServingAgent::BeginStep(std::uint32_t instance, const StepOrder& order) {
  OrderParcel parcel;
  parcel.computing_ps = order.computing.ps;
  parcel.instance = instance;
  parcel.step = order.step;
  parcel.tokens = static_cast<std::uint32_t>(order.tokens);
  const std::uint32_t groups = ground_.plan.instances[instance].collectives.layout().groups;
  for (parcel.group = 1; parcel.group < groups; ++parcel.group)
    Post(parcel, EndsOf(parcel), order.at, kServingControlBytes);
  steps_.Begin(instance, 0, order);
}

void ServingAgent::SendPart(const StepMessage& message, std::int64_t bytes, Time at) {
  step_sent_ += bytes;
  PartParcel parcel;
  parcel.message = message;
  Post(parcel, EndsOf(parcel), at, bytes);
}

void ServingAgent::StepEnded(std::uint32_t instance, Time at) { machine_.StepEnded(instance, at); }

template <class Parcel>
void ServingAgent::Post(const Parcel& parcel, const Ends& ends, Time at, std::int64_t bytes) {
  FlowPost post;
  post.asked = at;
  post.start = at + ground_.latency;
  post.source = ends.first;
  post.destination = ends.second;
  post.size = bytes;
  post.order = parcel.order();
  post.cookie = FlowCookie::Of(parcel);
  port_->Post(post);
}

}  // namespace heddle
