// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/custom/custom_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/base/check.h"

namespace heddle {
namespace {

const CustomAlgorithm& AlgorithmFor(Operation operation, const ChunkOptions& options) {
  HEDDLE_EXPECT(options.custom != nullptr);
  const CustomAlgorithm* const algorithm = options.custom->Find(operation);
  HEDDLE_EXPECT(algorithm != nullptr);
  return *algorithm;
}

/// Rounds in which no piece of a chunk is larger than the options say.
std::uint32_t RoundsOf(std::int64_t bytes, std::uint32_t chunks, const ChunkOptions& options) {
  const std::int64_t chunk = (bytes - 1) / chunks + 1;
  const std::int64_t rounds = (chunk - 1) / options.chunk_bytes + 1;
  return static_cast<std::uint32_t>(
      std::min<std::int64_t>(rounds, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

std::string WhyNoCustom(Operation operation, const GroupShape& shape, const ChunkOptions& options) {
  const CustomAlgorithm* const algorithm =
      options.custom == nullptr ? nullptr : options.custom->Find(operation);
  if (algorithm == nullptr) return "no file has an algorithm for it";
  if (algorithm->ranks() == shape.ranks()) return "";
  return fmt::format("{} is for {} GPUs", algorithm->file, algorithm->ranks());
}

CustomSchedule::CustomSchedule(const CollectiveSpec& spec, const ChunkOptions& options)
    : bytes_(spec.bytes),
      chunks_(AlgorithmFor(spec.operation, options).chunks),
      messages_(
          options.custom->MessagesOf(spec.operation, RoundsOf(spec.bytes, chunks_, options))) {}

CustomSchedule::Id CustomSchedule::IdOf(const GroupFlow& flow) const {
  return {messages_->Find(flow.source, flow.destination, flow.channel), flow.chunk};
}

template <class Visit>
void CustomSchedule::ForEachPiece(const Id& id, const Visit& visit) const {
  const CustomMessages::Kind& kind = messages_->kind(id);
  const std::uint32_t round = id.index / messages_->per_round(id.connection);
  for (std::uint32_t k = 0; k < kind.count; ++k) {
    const std::uint32_t chunk = (kind.source.first + k) % chunks_;  // scratch may have more
    visit(PartOf(PartOf({0, bytes_}, chunks_, chunk), messages_->rounds(), round));
  }
}

GroupFlow CustomSchedule::Make(const Id& id) const {
  const CustomConnection& connection = messages_->connections()[id.connection];
  const CustomMessages::Kind& kind = messages_->kind(id);
  GroupFlow flow;
  flow.source = connection.source;
  flow.destination = connection.destination;
  flow.channel = static_cast<std::uint16_t>(connection.channel);
  flow.chunk = id.index;
  flow.connection = Connection::kCustom;
  flow.reduced = kind.reduced;
  flow.reduces = kind.reduces;
  bool first = true;
  ForEachPiece(id, [&](const ByteRange& piece) {
    if (first) flow.offset = piece.offset;
    first = false;
    flow.bytes += piece.bytes;
  });
  return flow;
}

FlowCounts CustomSchedule::CountsOf(Participant p) const {
  if (p >= messages_->ranks()) return {};  // NVSwitches
  return {messages_->sends(p), messages_->receives(p)};
}

bool CustomSchedule::Knows(const GroupFlow& name) const {
  if (name.connection != Connection::kCustom) return false;
  const auto found = messages_->FindIfAny(name.source, name.destination, name.channel);
  return found && name.chunk < messages_->count(*found);
}

void CustomSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  for (std::uint32_t c = 0; c < messages_->connections().size(); ++c) {
    const Id first{c, 0};
    if (messages_->connections()[c].source != p || messages_->count(c) == 0) continue;
    if (messages_->parents_begin(first) == messages_->parents_end(first))
      out->push_back(Make(first));
  }
}

void CustomSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Id id = IdOf(arrived);
  for (const Id* child = messages_->children_begin(id); child != messages_->children_end(id);
       ++child)
    children->push_back(Make(*child));
}

std::uint32_t CustomSchedule::ParentCount(const GroupFlow& flow) const {
  const Id id = IdOf(flow);
  return static_cast<std::uint32_t>(messages_->parents_end(id) - messages_->parents_begin(id));
}

void CustomSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Id id = IdOf(flow);
  for (const Id* parent = messages_->parents_begin(id); parent != messages_->parents_end(id);
       ++parent)
    parents->push_back(Make(*parent));
}

std::optional<GroupFlow> CustomSchedule::NextInTurn(const GroupFlow& posted) const {
  const Id id = IdOf(posted);
  if (id.index + 1 >= messages_->count(id.connection)) return {};
  return Make({id.connection, id.index + 1});
}

std::optional<GroupFlow> CustomSchedule::PreviousInTurn(const GroupFlow& flow) const {
  const Id id = IdOf(flow);
  if (id.index == 0) return {};
  return Make({id.connection, id.index - 1});
}

void CustomSchedule::ForEachRange(const GroupFlow& flow,
                                  const std::function<void(const ByteRange&)>& visit) const {
  ForEachPiece(IdOf(flow), visit);
}

void CustomSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<Id> ids;
  ids.reserve(messages_->total());
  for (std::uint32_t c = 0; c < messages_->connections().size(); ++c) {
    for (std::uint32_t i = 0; i < messages_->count(c); ++i) ids.push_back({c, i});
  }
  const auto key = [&](const Id& id) {
    const CustomConnection& connection = messages_->connections()[id.connection];
    return std::make_tuple(connection.channel, id.index, connection.source, connection.destination);
  };
  std::sort(ids.begin(), ids.end(), [&](const Id& a, const Id& b) { return key(a) < key(b); });
  for (const Id& id : ids) visit(Make(id));
}

void CustomSchedule::ForEachBundle(const std::function<void(const FlowBundle&)>& visit) const {
  for (std::uint32_t c = 0; c < messages_->connections().size(); ++c) {
    std::map<std::int64_t, std::uint64_t> counts;  // by bytes
    for (std::uint32_t i = 0; i < messages_->count(c); ++i) ++counts[Make({c, i}).bytes];
    const CustomConnection& connection = messages_->connections()[c];
    const std::uint16_t channel = Make({c, 0}).channel;
    for (const auto& [bytes, count] : counts)
      visit({connection.source, connection.destination, bytes, count, channel});
  }
}

}  // namespace heddle
