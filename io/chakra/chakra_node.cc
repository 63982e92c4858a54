// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_node.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "io/chakra/chakra_attributes.h"
#include "io/chakra/chakra_limits.h"
#include "io/chakra/chakra_wire.pb.h"

namespace heddle {
namespace {

using chakra_wire::Attribute;
using google::protobuf::UnknownField;
using Kind = ChakraNode::Kind;

/// Kinds by the number of the type: 0 is invalid, 1 METADATA.
constexpr Kind kKinds[] = {Kind::kNothing, Kind::kNothing, Kind::kMemory,  Kind::kMemory,
                           Kind::kCompute, Kind::kSend,    Kind::kReceive, Kind::kCollective};
constexpr int kTypes = 8;

class NodeReader {
 public:
  NodeReader(const chakra_wire::Node& from, const std::string& where, ChakraGroups* groups)
      : from_(from), where_(where), groups_(*groups) {}

  ChakraNodeRead Read() {
    CheckSchema();
    ChakraNode& node = read_.node;
    node.id = from_.id();
    node.type = from_.type();
    read_.unknown_type = node.type < 1 || node.type >= kTypes;
    node.kind = read_.unknown_type ? Kind::kNothing : kKinds[node.type];
    if (from_.duration_micros() > kMaxChakraMicros)
      Fail("duration_micros", std::to_string(from_.duration_micros()),
           fmt::format("at most {} us", kMaxChakraMicros));
    node.duration = MicroSeconds(static_cast<std::int64_t>(from_.duration_micros()));
    for (const Attribute& attribute : from_.attributes()) ReadAttribute(attribute);
    Settle();
    return read_;
  }

 private:
  [[noreturn]] void Fail(const std::string& what, const std::string& found,
                         const std::string& expected) const {
    throw UserError(fmt::format("{}: {} {}. Expected: {}", where_, what, found, expected));
  }

  /// Fields 6 and 7 were texts, and 11 had the attributes, which are in 10 since.
  void CheckSchema() const {
    const auto& unknown = chakra_wire::Node::GetReflection()->GetUnknownFields(from_);
    for (int i = 0; i < unknown.field_count(); ++i) {
      const UnknownField& field = unknown.field(i);
      if (field.type() != UnknownField::TYPE_LENGTH_DELIMITED) continue;
      const int number = field.number();
      const bool old = number == 6 || number == 7 || (number == 11 && from_.attributes().empty());
      if (!old) continue;
      throw UserError(where_ +
                      ": it is of Chakra's schema before October 2023 (proto2), which had other "
                      "fields. Expected: a trace of Chakra 0.0.4 or later, converted anew");
    }
  }

  std::int64_t Whole(const Attribute& attribute, std::int64_t most) {
    const std::optional<ChakraWhole> whole = WholeOf(attribute);
    if (!whole || whole->value < 0 || whole->value > most)
      Fail(Printable(attribute.name()), FoundIn(attribute),
           fmt::format("an integer from 0 to {}", most));
    read_.converted += whole->converted ? 1 : 0;
    return whole->value;
  }

  /// Comparing lengths first keeps the many attributes that nobody reads cheap.
  void ReadAttribute(const Attribute& attribute) {
    ChakraNode& node = read_.node;
    const std::string& name = attribute.name();
    constexpr std::int64_t kFlag = 1, kRank = kMaxChakraRanks - 1;
    if (name == "is_cpu_op") {
      node.on_cpu = Whole(attribute, kFlag) != 0;
    } else if (name == "comm_type") {
      node.collective = static_cast<ChakraCollective>(Whole(attribute, kChakraCollectives - 1));
      has_ |= ChakraNode::kType;
    } else if (name == "comm_size" && node.kind != Kind::kMemory && node.kind != Kind::kCompute) {
      node.bytes = Whole(attribute, kMaxChakraAmount);
      has_ |= ChakraNode::kSize;
    } else if (name == "tensor_size" &&
               (node.kind == Kind::kMemory || node.kind == Kind::kCompute)) {
      node.bytes = Whole(attribute, kMaxChakraAmount);
      has_ |= ChakraNode::kSize;
    } else if (name == "num_ops") {
      node.operations = Whole(attribute, kMaxChakraAmount);
      has_ |= ChakraNode::kOperations;
    } else if ((name == "comm_dst" && node.is_send()) ||
               (name == "comm_src" && node.is_receive())) {
      node.peer = static_cast<std::uint32_t>(Whole(attribute, kRank));
      has_ |= ChakraNode::kPeer;
    } else if (name == "comm_tag") {
      const std::int64_t tag = Whole(attribute, std::numeric_limits<std::int64_t>::max());
      node.tag = static_cast<std::uint32_t>(tag % kChakraTags);
      has_ |= ChakraNode::kTag;
    } else if (name == "pg_name" && node.is_collective()) {
      node.group = groups_.IndexOf(TextOf(attribute));
    } else if (name == "involved_dim") {
      ReadDimensions(attribute);
    } else if (name == kHeddleDuration) {
      node.duration = Time{Whole(attribute, kLatestInput.ps)};
    }
  }

  void ReadDimensions(const Attribute& attribute) {
    if (attribute.value_case() != Attribute::kAsFlags) return;
    const auto& flags = attribute.as_flags().values();
    if (flags.size() > static_cast<int>(kMaxChakraDimensions))
      Fail("involved_dim", fmt::format("of {} dimensions", flags.size()),
           fmt::format("at most {}", kMaxChakraDimensions));
    if (std::find(flags.begin(), flags.end(), false) == flags.end()) return;
    read_.node.dimensions = 0;
    for (int i = 0; i < flags.size(); ++i)
      read_.node.dimensions |= static_cast<std::uint32_t>(flags.Get(i)) << i;
  }

  /// What the node is, and what it lacks.
  void Settle() {
    ChakraNode& node = read_.node;
    const bool talks = node.is_send() || node.is_receive() || node.is_collective();
    if (talks && node.on_cpu) {
      read_.cpu_collective = true;
      node.kind = Kind::kCompute;
    }
    int needed = 0;
    if (node.is_collective()) needed = ChakraNode::kType | ChakraNode::kSize;
    if (node.is_collective() && node.collective == ChakraCollective::kBarrier)
      needed = ChakraNode::kType;
    if (node.is_send() || node.is_receive())
      needed = ChakraNode::kSize | ChakraNode::kPeer | ChakraNode::kTag;
    if (node.kind == Kind::kMemory) needed = ChakraNode::kSize;
    if (node.is_compute()) needed = ChakraNode::kSize | ChakraNode::kOperations;
    node.missing = static_cast<std::uint8_t>(needed & ~has_);
  }

  const chakra_wire::Node& from_;
  const std::string& where_;
  ChakraGroups& groups_;
  ChakraNodeRead read_;
  int has_ = 0;
};

}  // namespace

ChakraNodeRead ReadChakraNode(const chakra_wire::Node& from, const std::string& where,
                              ChakraGroups* groups) {
  return NodeReader(from, where, groups).Read();
}

}  // namespace heddle
