// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/attribute_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/check.h"
#include "io/check/ends_with.h"

namespace heddle {
namespace {

const Attribute* Find(const std::vector<Attribute>& attributes, const std::string& name) {
  for (const Attribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

AttributeType TypeOf(const Attribute& attribute) {
  if (std::holds_alternative<std::string>(attribute.value)) return AttributeType::kText;
  return std::holds_alternative<double>(attribute.value) ? AttributeType::kF64
                                                         : AttributeType::kI64;
}

/// "all", "none" or "sample:N".
bool IsRecording(const std::string& text) {
  const std::string sample = "sample:";
  if (text == "all" || text == "none") return true;
  if (text.size() == sample.size() || text.rfind(sample, 0) != 0) return false;
  return text.find_first_not_of("0123456789", sample.size()) == std::string::npos;
}

bool IsDigest(const std::string& text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The expected value; empty if the attribute is valid.
std::string Wanted(const Attribute& attribute) {
  const std::string& name = attribute.name;
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) {
    if (name == "complete" && *number != 0 && *number != 1) return "0 or 1";
    if (name != "seed" && *number < 0) return "0 or more";
  } else if (const auto* real = std::get_if<double>(&attribute.value)) {
    if (!std::isfinite(*real) || *real < 0) return "a finite number, 0 or more";
  } else {
    const auto& text = std::get<std::string>(attribute.value);
    if (EndsWith(name, "s_recorded") && !IsRecording(text)) return "all, none or sample:N";
    if (name == "deadlock" && text.empty()) return "the cycle of ports, or no attribute";
    const bool of_pipe = text == "read once" && name != "flows_digest";
    if (EndsWith(name, "_digest") && !IsDigest(text) && !of_pipe) return "16 hexadecimal digits";
  }
  return "";
}

std::string FoundText(const Attribute& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute.value))
    return '\'' + Printable(*text) + '\'';
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value))
    return fmt::format("{}", *number);
  return fmt::format("{}", std::get<double>(attribute.value));
}

}  // namespace

std::optional<std::int64_t> IntegerOf(const std::vector<Attribute>& attributes,
                                      const std::string& name) {
  const Attribute* found = Find(attributes, name);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->value);
  return value == nullptr ? std::nullopt : std::optional<std::int64_t>(*value);
}

std::optional<std::string> TextOf(const std::vector<Attribute>& attributes,
                                  const std::string& name) {
  const Attribute* found = Find(attributes, name);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
}

ResultKind KindOf(const std::vector<Attribute>& attributes) {
  ResultKind kind;
  kind.jobs = Find(attributes, "workload_digest") != nullptr ||
              Find(attributes, "job 0 workload_digest") != nullptr;
  kind.controller = TextOf(attributes, "option controller.enable").value_or("") == "true";
  kind.cut = IntegerOf(attributes, "complete").value_or(1) == 0;
  std::istringstream kinds(TextOf(attributes, "option monitor.kinds").value_or("none"));
  for (std::string name; std::getline(kinds, name, ',');) {
    if (name == "all") {
      kind.monitors = {"queues", "links", "rates", "cnps", "pfc"};
    } else if (name != "none") {
      kind.monitors.push_back(name);
    }
  }
  return kind;
}

void ValidateAttributes(const std::vector<AttributeSchema>& schema,
                        const std::vector<Attribute>& attributes, const ResultKind& kind,
                        const std::string& place, std::vector<Finding>* findings) {
  for (const Attribute& attribute : attributes) {
    const AttributeSchema* expected = FindAttributeSchema(schema, attribute.name);
    if (expected == nullptr || !PresenceOf(expected->present, "", kind).may) {
      findings->push_back({place + Printable(attribute.name),
                           "unknown here. Expected: the attributes of docs/formats/result.md"});
    } else if (TypeOf(attribute) != expected->type) {
      findings->push_back(
          {place + attribute.name, fmt::format("type {}. Expected: {}", ToText(TypeOf(attribute)),
                                               ToText(expected->type))});
    } else if (const std::string wanted = Wanted(attribute); !wanted.empty()) {
      findings->push_back(
          {place + attribute.name, fmt::format("{}. Expected: {}", FoundText(attribute), wanted)});
    }
  }
  for (const AttributeSchema& expected : schema) {
    if (expected.type == AttributeType::kTwoI32)
      continue;  // no scalar; the reader checks the version
    const bool found =
        std::any_of(attributes.begin(), attributes.end(), [&](const Attribute& attribute) {
          return FindAttributeSchema(schema, attribute.name) == &expected;
        });
    if (found || !PresenceOf(expected.present, "", kind).must) continue;
    findings->push_back({place + expected.name,
                         fmt::format("missing. Expected: one of type {}", ToText(expected.type))});
  }
}

}  // namespace heddle
