// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_writer.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "io/chakra/chakra_node.h"
#include "io/chakra/chakra_wire.pb.h"

namespace heddle {
namespace {

using chakra_wire::Node;

/// Seven bits a byte, the lowest first.
void AddVarint(std::uint64_t number, std::string* bytes) {
  constexpr unsigned kBits = 7, kMore = 0x80;
  for (; number >= kMore; number >>= kBits) bytes->push_back(static_cast<char>(number | kMore));
  bytes->push_back(static_cast<char>(number));
}

template <class Message>
void AddMessage(const Message& message, std::string* bytes) {
  AddVarint(message.ByteSizeLong(), bytes);
  message.AppendToString(bytes);
}

void AddWhole(const char* name, std::int64_t value, Node* to) {
  chakra_wire::Attribute* attribute = to->add_attributes();
  attribute->set_name(name);
  attribute->set_as_int64(value);
}

void AddFlag(const char* name, bool value, Node* to) {
  chakra_wire::Attribute* attribute = to->add_attributes();
  attribute->set_name(name);
  attribute->set_as_bool(value);
}

void AddDuration(const ChakraNode& node, Node* to) {
  constexpr std::int64_t kMicrosecond = 1'000'000;
  const std::int64_t micros = (node.duration.ps + kMicrosecond / 2) / kMicrosecond;
  to->set_duration_micros(static_cast<std::uint64_t>(micros));
  if (micros * kMicrosecond != node.duration.ps) AddWhole(kHeddleDuration, node.duration.ps, to);
}

void AddCommunication(const ChakraTrace& trace, const ChakraNode& node, Node* to) {
  AddWhole("comm_size", node.bytes, to);
  if (node.is_collective()) {
    AddWhole("comm_type", static_cast<std::int64_t>(node.collective), to);
    if (node.group == 0) return;
    chakra_wire::Attribute* group = to->add_attributes();
    group->set_name("pg_name");
    group->set_as_text(trace.groups[node.group].name);
    return;
  }
  AddWhole(node.is_send() ? "comm_dst" : "comm_src", node.peer, to);
  AddWhole("comm_tag", node.tag, to);
}

/// By node: the nodes that it waits for.
std::vector<std::vector<std::uint32_t>> WaitsOf(const ChakraRank& rank) {
  std::vector<std::vector<std::uint32_t>> waits(rank.nodes.size());
  for (std::uint32_t i = 0; i < rank.nodes.size(); ++i) {
    const ChakraNode& node = rank.nodes[i];
    for (std::uint32_t k = 0; k < node.followers; ++k)
      waits[rank.followers[node.first_follower + k]].push_back(i);
  }
  return waits;
}

}  // namespace

std::string ChakraBytes(const ChakraTrace& trace, std::uint32_t rank) {
  const ChakraRank& from = trace.Rank(rank);
  const std::vector<std::vector<std::uint32_t>> waits = WaitsOf(from);
  std::string bytes;
  chakra_wire::Head head;
  head.set_version(trace.version);
  AddMessage(head, &bytes);
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const ChakraNode& node = from.nodes[i];
    Node to;
    to.set_id(node.id);
    to.set_name(trace.names[node.name]);
    to.set_type(node.type);
    for (const std::uint32_t before : waits[i]) to.add_data_dependencies(from.nodes[before].id);
    AddFlag("is_cpu_op", node.on_cpu, &to);
    if (node.is_compute()) AddDuration(node, &to);
    if (node.kind == ChakraNode::Kind::kMemory) AddWhole("tensor_size", node.bytes, &to);
    if (node.is_send() || node.is_receive() || node.is_collective())
      AddCommunication(trace, node, &to);
    AddMessage(to, &bytes);
  }
  return bytes;
}

std::string ChakraGroupsText(const ChakraTrace& trace) {
  if (trace.groups.size() < 2) return {};
  nlohmann::ordered_json groups;
  for (std::size_t i = 1; i < trace.groups.size(); ++i)
    groups[trace.groups[i].name] = trace.groups[i].ranks;
  return groups.dump() + "\n";
}

}  // namespace heddle
