// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/whole/analytical_domain.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {

void AnalyticalDomain::Attach(FlowAgent* agent) {
  agent_ = agent;
  if (agent_ != nullptr) agent_->Begin(this);
}

void AnalyticalDomain::Post(const FlowPost& /*flow*/) {
  HEDDLE_INVARIANT(false, "a flow was posted to the analytical backend, which takes collectives");
}

void AnalyticalDomain::WakeAt(Time when) {
  Deliver(std::max(when, now_), EventOrder(NodeId(0), PortId(0), Report::kWoken, 0).bits(),
          Cargo::Of(Report()));
}

void AnalyticalDomain::Begin(const CollectiveCall& call) {
  const std::uint32_t first = call.point_to_point() ? std::min(call.root, call.peer) : 0;
  Report report;
  report.name = call.name;
  report.parts = call.parts();
  report.node = call.node();
  report.home = call.members[first];
  report.when = call.start;
  if (call.point_to_point()) report.role = call.rank == call.root ? Role::kSender : Role::kReceiver;
  const bool prices = call.point_to_point() ? call.rank == call.root : call.rank == first;
  if (prices) report.price = run_.prices->PriceOf(call);
  if (running_) {
    Send(report.home, Report::kBegun, now_ + kReport, report);
  } else {
    // Before the run: what is loaded from a checkpoint replaces it.
    Deliver(now_, EventOrder(report.node, PortId(0), Report::kPosted, report.node.value).bits(),
            Cargo::Of(report));
  }
}

/// Puts a report to this domain into its own queue, as it runs: the post office empties inboxes
/// before a domain runs, not afterwards.
void AnalyticalDomain::Send(NodeId to, Report::Kind kind, Time time, const Report& report) {
  const DomainId domain = run_.domain_of[to.value];
  const std::uint64_t order = EventOrder(to, PortId(0), kind, report.node.value).bits();
  if (domain == id()) {
    Deliver(time, order, Cargo::Of(report));
  } else {
    run_.post_office->Send(domain, time, order, Cargo::Of(report));
  }
}

void AnalyticalDomain::RunUntil(Time end) {
  running_ = true;
  Event event;
  while (queue_.PopBefore(end, &event)) {
    now_ = event.time;
    ++events_;
    Report report;
    std::memcpy(static_cast<void*>(&report), cargo_[event.argument].bytes, sizeof report);
    cargo_.Free(event.argument);
    switch (EventOrder(event.order).kind()) {
      case Report::kPosted:
        Send(report.home, Report::kBegun, now_ + kReport, report);
        break;
      case Report::kBegun:
        Meet(report);
        break;
      case Report::kStreamed:
        MeetStream(report);
        break;
      case Report::kWoken:
        agent_->Woken();
        break;
      default:
        agent_->Completed(report.name, report.node, report.when);
    }
  }
  running_ = false;
}

void AnalyticalDomain::Meet(const Report& report) {
  const Key key{report.name.job, report.name.operation, report.name.group};
  Meeting& meeting = meetings_[key];
  ++meeting.begun;
  if (report.role == Role::kMember) {
    MeetMember(report, &meeting);
  } else {
    MeetMessage(report, &meeting);
  }
  if (meeting.begun == report.parts && !meeting.streams) meetings_.erase(key);
}

void AnalyticalDomain::MeetMember(const Report& report, Meeting* meeting) {
  meeting->latest = std::max(meeting->latest, report.when);
  meeting->price = std::max(meeting->price, report.price);
  meeting->nodes.push_back(report.node);
  if (meeting->begun < report.parts) return;
  if (run_.streams.valid()) {
    Report all = report;
    all.price = meeting->price;
    return Stream(all, meeting->latest, meeting);
  }
  for (const NodeId node : meeting->nodes) SendEnd(node, meeting->latest + meeting->price, report);
}

void AnalyticalDomain::MeetMessage(const Report& report, Meeting* meeting) {
  if (report.role == Role::kSender) {
    meeting->price = report.price;
    if (run_.streams.valid()) return Stream(report, report.when, meeting);
    meeting->latest = std::max(meeting->latest, report.when + report.price);
    SendEnd(report.node, report.when + report.price, report);
  } else {
    meeting->latest = std::max(meeting->latest, report.when);
    meeting->nodes.push_back(report.node);
  }
  if (meeting->begun == report.parts && !meeting->nodes.empty() && !meeting->streams)
    SendEnd(meeting->nodes[0], meeting->latest, report);
}

void AnalyticalDomain::Stream(Report report, Time when, Meeting* meeting) {
  meeting->streams = true;
  report.when = when;
  run_.post_office->Send(run_.streams, now_ + kReport, report.OrderAs(Report::kStream).bits(),
                         Cargo::Of(report));
}

void AnalyticalDomain::MeetStream(const Report& report) {
  const Key key{report.name.job, report.name.operation, report.name.group};
  const auto at = meetings_.find(key);
  ExpectState(at != meetings_.end() && at->second.streams, "a stream of no collective");
  Meeting& meeting = at->second;
  meeting.streams = false;
  meeting.latest = std::max(meeting.latest, report.when);
  if (report.role == Role::kSender) SendEnd(report.node, report.when, report);
  if (meeting.begun < report.parts) return;
  for (const NodeId node : meeting.nodes) SendEnd(node, meeting.latest, report);
  meetings_.erase(at);
}

void AnalyticalDomain::SendEnd(NodeId node, Time when, Report report) {
  report.node = node;
  report.when = when;
  Send(node, Report::kEnded, std::max(when, now_ + kReport), report);
}

void AnalyticalDomain::AddMemory(MemoryAccount* account) const {
  AddBaseMemory(account);
  // A node of the tree has three pointers and a colour beside its value.
  std::size_t bytes = meetings_.size() * (sizeof(Key) + sizeof(Meeting) + 4 * sizeof(void*));
  for (const auto& [key, meeting] : meetings_) bytes += meeting.nodes.capacity() * sizeof(NodeId);
  account->Add(Structure::kEvents, bytes);
}

void AnalyticalDomain::Save(StateWriter* to) const {
  // Archives of the base take one that is not const, for saving as for loading.
  const_cast<AnalyticalDomain*>(this)->SerializeBase(*to);
  StateCount count(meetings_.size());
  *to << now_ << count;
  for (const auto& [key, meeting] : meetings_)
    *to << std::get<0>(key) << std::get<1>(key) << std::get<2>(key) << meeting;
  if (agent_ != nullptr) agent_->Save(to);
}

void AnalyticalDomain::Load(StateReader* from) {
  SerializeBase(*from);
  StateCount count(0);
  *from >> now_ >> count;
  meetings_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Key key;
    Meeting meeting;
    *from >> std::get<0>(key) >> std::get<1>(key) >> std::get<2>(key) >> meeting;
    for (const NodeId node : meeting.nodes)
      ExpectState(node.value < run_.domain_of.size(), "a rank of a collective at no node");
    ExpectState(meeting.latest >= Time{0} && meeting.price >= Time{0},
                "a collective of a time below zero");
    ExpectState(meeting.nodes.size() <= meeting.begun, "a collective with too many ranks");
    ExpectState(meetings_.emplace(key, std::move(meeting)).second, "a collective twice");
  }
  if (agent_ != nullptr) agent_->Load(from);
  std::vector<bool> unclaimed = cargo_.used_slots();
  for (const Event& event : queue_.Sorted()) {
    ExpectState(event.argument < unclaimed.size() && unclaimed[event.argument],
                "an event without a report of its own");
    unclaimed[event.argument] = false;
    CheckReport(event);
  }
}

void AnalyticalDomain::CheckReport(const Event& event) const {
  Report report;
  std::memcpy(static_cast<void*>(&report), cargo_[event.argument].bytes, sizeof report);
  const std::uint32_t kind = EventOrder(event.order).kind();
  if (kind == Report::kWoken) {
    ExpectState(event.time >= now_ && agent_ != nullptr, "a call of no agent");
    return;
  }
  const auto is_here = [this](NodeId node) {
    return node.value < run_.domain_of.size() && run_.domain_of[node.value] == id();
  };
  ExpectState(event.time >= Time{0} && report.when >= Time{0} && report.price >= Time{0},
              "a report of a time below zero");
  ExpectState(report.node.value < run_.domain_of.size() && report.parts > 0, "a report of no rank");
  ExpectState(report.role <= Role::kReceiver, "a report of no role");
  const bool for_home = kind == Report::kBegun || kind == Report::kStreamed;
  ExpectState((for_home && is_here(report.home)) ||
                  ((kind == Report::kEnded || kind == Report::kPosted) && agent_ != nullptr &&
                   is_here(report.node) && report.home.value < run_.domain_of.size()),
              "a report to another domain");
}

}  // namespace heddle
