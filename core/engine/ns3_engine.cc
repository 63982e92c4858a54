// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/ns3_engine.h"

#include <ns3/boolean.h>
#include <ns3/mpi-interface.h>
#include <ns3/mpi-receiver.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/simple-channel.h>
#include <ns3/simple-net-device.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <chrono>

namespace heddle {
namespace {

constexpr Time kTick{1};
constexpr std::int64_t kCheckEvery = 200;  // lookaheads between two checks for the end

ns3::Time ToNs3(Time t) { return ns3::PicoSeconds(static_cast<std::uint64_t>(t.ps)); }
Time Now() { return Time{ns3::Simulator::Now().GetPicoSeconds()}; }

}  // namespace

Ns3Engine::Ns3Engine(EngineKind kind, const Communicator& world, const EngineSetup& setup)
    : kind_(kind),
      world_(world),
      setup_(setup),
      wake_(setup.post_office->domains().size(), Time::Max()) {}

void Ns3Engine::ConnectRanks() {
  std::vector<ns3::Ptr<ns3::Node>> nodes;
  for (std::uint32_t rank = 0; rank < world_.size(); ++rank)
    nodes.push_back(ns3::CreateObject<ns3::Node>(rank));
  const ns3::Time delay = ToNs3(setup_.lookahead - kTick);
  // Every rank builds the same graph of all ranks, so that device numbers agree: device s of node r
  // connects to rank s.
  for (std::uint32_t r = 0; r < world_.size(); ++r) {
    for (std::uint32_t s = 0; s < world_.size(); ++s) {
      auto device = ns3::CreateObject<ns3::SimpleNetDevice>();
      device->SetAttribute("PointToPointMode", ns3::BooleanValue(true));
      nodes[r]->AddDevice(device);
      auto receiver = ns3::CreateObject<ns3::MpiReceiver>();
      receiver->SetReceiveCallback(ns3::MakeCallback(&Ns3Engine::Receive, this));
      device->AggregateObject(receiver);
    }
  }
  for (std::uint32_t r = 0; r < world_.size(); ++r) {
    for (std::uint32_t s = r + 1; s < world_.size(); ++s) {
      auto channel = ns3::CreateObject<ns3::SimpleChannel>();
      channel->SetAttribute("Delay", ns3::TimeValue(delay));
      for (auto device : {nodes[r]->GetDevice(s), nodes[s]->GetDevice(r)}) {
        ns3::DynamicCast<ns3::SimpleNetDevice>(device)->SetChannel(channel);
      }
    }
  }
}

EngineReport Ns3Engine::Run() {
  const auto start = std::chrono::steady_clock::now();
  if (world_.size() > 1) ConnectRanks();
  PostOffice& post = *setup_.post_office;
  for (std::uint32_t i = 0; i < wake_.size(); ++i) {
    if (post.next_time(i) < Time::Max()) WakeAt(i, post.next_time(i));
  }
  if (kind_ == EngineKind::kNs3Null && world_.size() > 1) {
    ns3::Simulator::Schedule(ToNs3(setup_.lookahead * kCheckEvery), &Ns3Engine::CheckDone, this);
  }
  ns3::Simulator::Run();
  if (setup_.on_cut) setup_.on_cut({Now()});
  EngineReport report;
  report.windows = wakes_;
  report.messages_sent = static_cast<std::uint64_t>(sent_);
  report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

void Ns3Engine::WakeAt(std::uint32_t index, Time time) {
  if (time >= wake_[index]) return;
  wake_[index] = time;
  ns3::Simulator::Schedule(ToNs3(time - Now()), &Ns3Engine::Wake, this, index, time.ps);
}

void Ns3Engine::Wake(std::uint32_t index, std::int64_t due_ps) {
  // Ignores a wake-up that an earlier one has replaced: the earlier one has scheduled the next.
  if (wake_[index].ps != due_ps) return;
  wake_[index] = Time::Max();
  PostOffice& post = *setup_.post_office;
  ++wakes_;
  post.RunDomain(index, Time{due_ps} + kTick);
  ScheduleHastened();
  if (post.next_time(index) < Time::Max()) WakeAt(index, post.next_time(index));
  SendOutboxes();
}

void Ns3Engine::ScheduleHastened() {
  PostOffice& post = *setup_.post_office;
  for (std::uint32_t index : post.hastened()) {
    if (post.next_time(index) < Time::Max()) WakeAt(index, post.next_time(index));
  }
  post.hastened().clear();
}

void Ns3Engine::SendOutboxes() {
  PostOffice& post = *setup_.post_office;
  if (post.TakeEarliestSent().first() == Time::Max()) return;
  // With each packet, ns-3's null-message engine promises to send nothing before its next event
  // plus the delay. This event may send more packets, so an empty event, due now, keeps the promise
  // true.
  if (kind_ == EngineKind::kNs3Null) ns3::Simulator::ScheduleNow(&Ns3Engine::Nothing);
  for (RankId rank : setup_.neighbours) {
    std::vector<AddressedMessage>& outbox = post.outbox(rank);
    for (std::size_t i = 0; i < outbox.size(); i += post.stride()) {
      auto packet =
          ns3::Create<ns3::Packet>(reinterpret_cast<const std::uint8_t*>(&outbox[i]),
                                   static_cast<std::uint32_t>(post.stride() * sizeof outbox[i]));
      ns3::MpiInterface::SendPacket(packet, ToNs3(outbox[i].message.time - kTick), rank.value,
                                    world_.rank().value);
      ++sent_;
    }
    outbox.clear();
  }
}

void Ns3Engine::Receive(ns3::Ptr<ns3::Packet> packet) {
  AddressedMessage records[1 + kTailRecords];
  const std::size_t count = setup_.post_office->stride();
  HEDDLE_INVARIANT(packet->GetSize() == count * sizeof records[0],
                   "a packet between ranks has the wrong size");
  packet->CopyData(reinterpret_cast<std::uint8_t*>(records), packet->GetSize());
  ++received_;
  setup_.post_office->Receive(records, count);
  ScheduleHastened();
}

void Ns3Engine::CheckDone() {
  std::vector<std::int64_t> state = {sent_ - received_,
                                     setup_.post_office->NextTime() == Time::Max() ? 0 : 1};
  world_.Sum(&state);
  // A consistent cut requires that no message is in flight between ranks.
  if (state[0] == 0 && setup_.on_cut) setup_.on_cut({Now()});
  if (state[0] == 0 && state[1] == 0) {
    ns3::Simulator::Stop();
    return;
  }
  ns3::Simulator::Schedule(ToNs3(setup_.lookahead * kCheckEvery), &Ns3Engine::CheckDone, this);
}

}  // namespace heddle
