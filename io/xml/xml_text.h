// SPDX-License-Identifier: GPL-2.0-only
/// XML of other programs, as a tree of elements. An element's attributes are under "<xmlattr>".
#pragma once

#include <boost/property_tree/ptree.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle {

using XmlTree = boost::property_tree::ptree;

/// What a document of some kind must be.
struct XmlKind {
  const char* expected = "";  ///< "a topology of NCCL"
  const char* root = "";      ///< its outermost element
  std::size_t most_bytes = std::size_t{4} << 20;
};

/// Returns the outermost element. Throws UserError with `file`, and the line where that is known,
/// for a text that is too long, has elements within 64 others, is no XML or has another outermost
/// element.
XmlTree ParseXml(const std::string& text, const std::string& file, const XmlKind& kind);

/// Returns an attribute's text; empty if it is not given.
std::string XmlText(const XmlTree& element, const char* attribute);

}  // namespace heddle
