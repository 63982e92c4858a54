// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/generator.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/options/nearest_name.h"

namespace heddle {
namespace {

std::string Plain(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    plain += c == '+' ? "plus" : std::string(1, c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c);
  }
  return plain;
}

}  // namespace

bool IsSameFabric(const std::string& a, const std::string& b) { return Plain(a) == Plain(b); }

FoundFabric FindFabric(const std::vector<Family>& families, const std::string& name) {
  std::vector<std::string> names;
  for (const Family& family : families) {
    for (const NamedFabric& fabric : family.fabrics) {
      if (IsSameFabric(fabric.name, name)) return {family, fabric};
      names.push_back(fabric.name);
    }
  }
  throw UserError(fmt::format("unknown template \"{}\". Expected: {}{}", Printable(name),
                              fmt::join(names, ", "), NearestIs(name, names)));
}

}  // namespace heddle
