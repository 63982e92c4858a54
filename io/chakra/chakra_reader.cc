// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_reader.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "core/chakra/chakra_store.h"
#include "io/chakra/chakra_attributes.h"
#include "io/chakra/chakra_limits.h"
#include "io/chakra/chakra_messages.h"
#include "io/chakra/chakra_node.h"
#include "io/chakra/chakra_rank_builder.h"
#include "io/chakra/chakra_wire.pb.h"

namespace heddle {
namespace {

constexpr std::int32_t kMetadata = 1;

/// Parses a message of protobuf. Throws UserError.
template <class Message>
void Parse(const ChakraMessages& messages, std::string_view bytes, const char* what,
           Message* message) {
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    messages.Fail(fmt::format("{} that is no message of protobuf", what), "a trace of Chakra");
}

/// The first message of a file.
void ReadHead(ChakraMessages* messages, ChakraTrace* trace) {
  std::string_view bytes;
  if (!messages->Next(&bytes)) messages->Fail("an empty file", "a trace of Chakra");
  chakra_wire::Head head;
  Parse(*messages, bytes, "a first message", &head);
  if (!trace->ranks.empty()) return;
  trace->version = head.version();
  for (const chakra_wire::Attribute& attribute : head.attributes()) {
    if (attribute.name() == "schema") trace->schema = TextOf(attribute);
  }
}

void CheckRoom(const ChakraMessages& messages, const ChakraRankBuilder& builder) {
  if (builder.nodes() >= kMaxChakraNodes || builder.dependencies() >= kMaxChakraNodes)
    messages.Fail(fmt::format("more than {} nodes or dependencies", kMaxChakraNodes),
                  "fewer in a rank");
}

void AddWaits(const chakra_wire::Node& node, bool control, ChakraRankBuilder* builder) {
  for (const std::uint64_t id : node.data_dependencies()) builder->WaitFor(id, false);
  if (!control) return;
  for (const std::uint64_t id : node.control_dependencies()) builder->WaitFor(id, true);
}

}  // namespace

ChakraReader::ChakraReader(ChakraTrace* trace, std::uint32_t ranks, bool control,
                           std::uint64_t window)
    : trace_(*trace), control_(control), groups_(&trace->groups, ranks) {
  trace->window = window;
}

void ChakraReader::Spill() {
  nodes_ += trace_.ranks.back().nodes.size();
  if (trace_.window == 0 || nodes_ <= trace_.window) return;
  if (trace_.store == nullptr) trace_.store = std::make_shared<ChakraStore>();
  while (trace_.store->size() < trace_.ranks.size())
    trace_.store->Put(&trace_.ranks[trace_.store->size()]);
}

std::uint32_t ChakraReader::NameOf(const std::string& name) {
  const auto [at, is_new] = names_.try_emplace(name, trace_.names.size());
  if (is_new) trace_.names.push_back(name);
  return at->second;
}

void ChakraReader::ReadRank(std::unique_ptr<ByteSource> bytes, const std::string& name) {
  const auto number = static_cast<std::uint32_t>(trace_.ranks.size());
  ChakraMessages messages(std::move(bytes), name);
  ReadHead(&messages, &trace_);
  ChakraRankBuilder builder;
  chakra_wire::Node from;
  // Odd nodes are found by their ids, as their indices are not known before all are sorted.
  std::vector<std::pair<std::uint64_t, ChakraCount*>> odd;
  for (std::string_view message; messages.Next(&message);) {
    Parse(messages, message, "a node", &from);
    const std::string where = fmt::format("node {} of {}", from.id(), name);
    ChakraNodeRead read = ReadChakraNode(from, where, &groups_);
    if (from.type() == kMetadata && from.name() == kChakraGroupsNode)
      groups_.AddMetadata(from.inputs().values(), where);
    read.node.name = NameOf(from.name());
    CheckRoom(messages, builder);
    builder.Add(read.node);
    AddWaits(from, control_, &builder);
    ChakraOddities& all = trace_.odd;
    for (std::uint64_t i = 0; i < read.converted; ++i) odd.emplace_back(from.id(), &all.converted);
    if (read.cpu_collective) odd.emplace_back(from.id(), &all.cpu_collectives);
    if (read.unknown_type) odd.emplace_back(from.id(), &all.unknown_types[from.type()]);
  }
  trace_.ranks.push_back(builder.Take(number, name, &trace_.odd));
  const std::vector<ChakraNode>& nodes = trace_.ranks.back().nodes;
  for (const auto& [id, count] : odd) {
    const auto at =
        std::lower_bound(nodes.begin(), nodes.end(), id,
                         [](const ChakraNode& node, std::uint64_t key) { return node.id < key; });
    count->Add({number, static_cast<std::uint32_t>(at - nodes.begin())});
  }
  Spill();
}

ChakraTrace ParseChakra(std::string_view bytes, const std::string& name) {
  ChakraTrace trace;
  trace.name = name;
  ChakraReader reader(&trace, 1, true);
  reader.ReadRank(OpenBytes(bytes, name), name);
  return trace;
}

}  // namespace heddle
