// SPDX-License-Identifier: GPL-2.0-only
/// Routes with links down, derived from other routes.
///
/// Distances d of a class stay valid if, over the links that are up now, every core node with d >=
/// 2 has a neighbour with d - 1 and no two neighbours differ by more than 1. So a link that went
/// down affects only its farther end, and not even that if another next hop is left; a link that
/// came up matters only if its ends differ by more than 1.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "topology/routes/equal_cost.h"

namespace heddle {
namespace {

template <class T>
void SortUnique(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

}  // namespace

std::shared_ptr<const RouteTable> EqualCostTable::WithDown(std::vector<LinkId> down,
                                                           RouteChange* change) const {
  std::vector<LinkId> differing, core_links;
  std::set_symmetric_difference(down_.begin(), down_.end(), down.begin(), down.end(),
                                std::back_inserter(differing));
  for (const LinkId id : differing) {
    const Link& link = graph_->link(id);
    change->touched.insert(change->touched.end(), {link.a, link.b});
    if (is_core(link.a) && is_core(link.b)) {
      core_links.push_back(id);
    }
  }
  SortUnique(&change->touched);

  std::shared_ptr<EqualCostTable> derived(new EqualCostTable(*this));
  EqualCostTable& next = *derived;
  next.down_ = std::move(down);
  next.Rewire(change->touched);
  change->recomputed = next.MoveGpus(change);
  change->classes = change->regrouped;
  if (!core_links.empty()) {
    for (std::uint32_t cls = 0; cls < next.class_count(); ++cls) {
      // A class without GPUs has no routes, and a null row means that MoveGpus just filled the
      // class.
      if (next.members(cls).empty() || next.distances_[cls] == nullptr) {
        continue;
      }
      const Effect effect = next.EffectOn(cls, core_links);
      if (effect != Effect::kNone) {
        change->classes.push_back(cls);
      }
      if (effect == Effect::kDistances) {
        change->recomputed.push_back(cls);
      }
    }
  }
  SortUnique(&change->classes);
  SortUnique(&change->recomputed);
  for (const std::uint32_t cls : change->recomputed) {
    next.distances_[cls] = next.ComputeClass(cls);
  }
  return derived;
}

void EqualCostTable::Rewire(const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    const Range all = AllNeighbours(*wiring_, node);
    const auto& ports = graph_->ports(node);
    auto usable = std::make_shared<std::vector<Neighbour>>();
    std::copy_if(all.begin(), all.end(), std::back_inserter(*usable),
                 [&](const Neighbour& n) { return is_up(ports[n.port.value].link); });
    if (usable->size() == ports.size()) {
      rewired_.erase(node);
    } else {
      rewired_[node] = std::move(usable);
    }
  }
}

/// Moves the GPUs touched into the classes of their usable links. Returns the classes whose
/// distances must be computed (new, or empty before); their rows are null until then.
std::vector<std::uint32_t> EqualCostTable::MoveGpus(RouteChange* change) {
  std::shared_ptr<Classes> classes;  // copied at the first move
  std::vector<std::uint32_t> key, filled;
  for (const NodeId gpu : change->touched) {
    if (!graph_->is_gpu(gpu)) {
      break;  // GPUs have the lowest ids
    }
    KeyOf(gpu, &key);
    const auto& known = (classes != nullptr ? *classes : *classes_).by_key;
    const std::uint32_t old_class = class_of(gpu);
    const auto found = known.find(key);
    if (found != known.end() && found->second == old_class) {
      continue;
    }
    if (classes == nullptr) {
      classes = std::make_shared<Classes>(*classes_);
    }
    const auto new_class =
        classes->by_key.emplace(key, static_cast<std::uint32_t>(classes->members.size()))
            .first->second;
    if (new_class == classes->members.size()) {
      classes->members.emplace_back();
      distances_.emplace_back();
    }
    if (classes->members[new_class].empty()) {
      distances_[new_class] = nullptr;
      filled.push_back(new_class);
    }
    auto& joined = classes->members[new_class];
    auto& left = classes->members[old_class];
    joined.insert(std::lower_bound(joined.begin(), joined.end(), gpu), gpu);
    left.erase(std::lower_bound(left.begin(), left.end(), gpu));
    classes->class_of[gpu.value] = new_class;
    change->moved.push_back(gpu);
    change->regrouped.insert(change->regrouped.end(), {old_class, new_class});
  }
  if (classes == nullptr) {
    return filled;
  }
  classes_ = std::move(classes);
  SortUnique(&change->regrouped);
  for (const std::uint32_t cls : change->regrouped) {
    if (members(cls).empty()) {
      distances_[cls] = ComputeClass(cls);
    }
  }
  filled.erase(std::remove_if(filled.begin(), filled.end(),
                              [&](std::uint32_t cls) { return members(cls).empty(); }),
               filled.end());
  return filled;
}

/// How the changed links, all between core nodes, affect a class whose distances are still the old
/// ones.
EqualCostTable::Effect EqualCostTable::EffectOn(std::uint32_t cls,
                                                const std::vector<LinkId>& core_links) const {
  Effect effect = Effect::kNone;
  for (const LinkId id : core_links) {
    const Link& link = graph_->link(id);
    const Distance at_a = distance(cls, link.a);
    const Distance at_b = distance(cls, link.b);
    if (at_a == at_b) {
      continue;
    }
    const NodeId farther = at_a < at_b ? link.b : link.a;
    const bool is_next_hop = std::max(at_a, at_b) != kFar && std::abs(at_a - at_b) == 1;
    if (!is_next_hop || !HasNextHop(cls, farther)) {
      return Effect::kDistances;
    }
    effect = Effect::kNextHops;
  }
  return effect;
}

bool EqualCostTable::HasNextHop(std::uint32_t cls, NodeId core) const {
  const Distance hops = distance(cls, core);
  const Range all = neighbours(core);
  return std::any_of(all.begin(), all.end(), [&](const Neighbour& next) {
    return is_core(next.peer) && distance(cls, next.peer) + 1 == hops;
  });
}

}  // namespace heddle
