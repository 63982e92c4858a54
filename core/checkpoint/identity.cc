// SPDX-License-Identifier: GPL-2.0-only
#include "core/checkpoint/identity.h"

#include <algorithm>

namespace heddle {
namespace {

/// The pairs of `a` that `b` lacks, each as often as it lacks it.
Identity OnlyIn(const Identity& a, Identity b) {
  Identity only;
  for (const auto& entry : a) {
    const auto same = std::find(b.begin(), b.end(), entry);
    if (same == b.end()) {
      only.push_back(entry);
    } else {
      b.erase(same);
    }
  }
  return only;
}

/// "NAME VALUE" of the first entry with that name.
std::string TextOf(const std::string& name, const Identity& entries) {
  for (const auto& [key, value] : entries) {
    if (key == name) return key + " " + value;
  }
  return "no " + name;
}

}  // namespace

std::optional<IdentityDifference> FindDifference(const Identity& then, const Identity& now) {
  const Identity before = OnlyIn(then, now), after = OnlyIn(now, then);
  if (before.empty() && after.empty()) return std::nullopt;
  const std::string& name = before.empty() ? after.front().first : before.front().first;
  return IdentityDifference{TextOf(name, before), TextOf(name, after)};
}

}  // namespace heddle
