// SPDX-License-Identifier: GPL-2.0-only
#include "io/xml/xml_text.h"

#include <fmt/format.h>

#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr int kMostDepth = 64;  // of elements; the parser calls itself for each

/// Throws UserError for a text that would take the parser's stack, or much memory.
void CheckNesting(const std::string& text, const std::string& file, const XmlKind& kind) {
  if (text.size() > kind.most_bytes)
    FailInput({file, 0}, fmt::format("{} bytes", text.size()),
              fmt::format("{}, of {} MiB at most", kind.expected, kind.most_bytes >> 20));
  int depth = 0;
  std::int64_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++line;
    if (text[i] != '<' || i + 1 == text.size()) continue;
    const char next = text[i + 1];
    if (next == '?' || next == '!') continue;
    depth += next == '/' ? -1 : 1;
    const std::size_t end = text.find('>', i);
    if (next != '/' && end != std::string::npos && text[end - 1] == '/') --depth;
    if (depth > kMostDepth)
      FailInput({file, line}, fmt::format("elements within {} others", kMostDepth), kind.expected);
  }
}

}  // namespace

XmlTree ParseXml(const std::string& text, const std::string& file, const XmlKind& kind) {
  CheckNesting(text, file, kind);
  XmlTree document;
  try {
    std::istringstream stream(text);
    boost::property_tree::read_xml(stream, document);
  } catch (const boost::property_tree::xml_parser_error& error) {
    FailInput({file, static_cast<std::int64_t>(error.line())}, "no XML: " + error.message(),
              kind.expected);
  }
  const auto root = document.get_child_optional(kind.root);
  if (!root) FailInput({file, 0}, fmt::format("no element {}", kind.root), kind.expected);
  return *root;
}

std::string XmlText(const XmlTree& element, const char* attribute) {
  return element.get<std::string>(std::string("<xmlattr>.") + attribute, "");
}

}  // namespace heddle
