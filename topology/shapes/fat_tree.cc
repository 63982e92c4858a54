// SPDX-License-Identifier: GPL-2.0-only
/// Fat trees: parallel-ports generalised fat trees (PGFT), which contain extended generalised fat
/// trees (XGFT) and k-ary n-trees.
///
/// Source: Leiserson, "Fat-trees", IEEE Transactions on Computers C-34, 1985; Petrini and
/// Vanneschi, "k-ary n-trees", IPPS 1997; Öhring et al., "On generalized fat trees", IPPS 1995;
/// Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
/// trees", 2010.
///
/// Symbols: h levels of switches; m_l children and w_l parents of level l, joined by p_l cables
/// each. Level l (GPUs: level 0) has m_{l+1}...m_h * w_1...w_l nodes. Such a node is (A, B): A
/// counts the digits a_h...a_{l+1}, B the digits b_l...b_1, the last fastest; its number is A *
/// w_1...w_l + B. Nodes of two levels are linked if they agree in all digits that both have. In a
/// RailTree, leaf number s * S + r of level 1 has the GPUs in place r of S of the servers s * m_1
/// to (s + 1) * m_1 - 1. Routes have equal cost unless the run asks for tables (topology/tables).
#include <fmt/format.h>

#include <optional>

#include "core/base/check.h"
#include "topology/shapes/families.h"
#include "topology/shapes/shape_maker.h"
#include "topology/sizes/tree_sizes.h"

namespace heddle {
namespace {

using Sizes = std::vector<std::uint32_t>;

struct FatTreeOptions {
  std::uint32_t arity = 4, levels = 3;
  std::string down = kNoList;    ///< m_1 x ... x m_h
  std::string up = kNoList;      ///< w_1 x ... x w_h
  std::string cables = kNoList;  ///< p_1 x ... x p_h
  std::string over = kNoList;    ///< of levels 1 to h - 1
  std::string rates = kNoList;   ///< of levels 2 to h
  bool rails = false;            ///< the GPUs of a server are under different leaves
  ServerOptions servers = SingleGpuServers();
  FabricWish wish;

  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags);
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& name) const { return wish.Notes(name); }
  double leaf_ratio() const { return wish.ratio(); }
};

/// Source: NVIDIA DGX SuperPOD reference architecture (RA-11333), rail-optimised compute fabric.
FatTreeOptions RailTreeOptions() {
  FatTreeOptions options;
  options.rails = true;
  options.servers = ServerOptions();
  options.arity = 8;
  return options;
}

/// Sizes and cables by level, from 0 for level 1.
struct Tree {
  Sizes children, parents, cables;
};

void FatTreeOptions::Declare(FlagSet* flags) {
  wish.Declare(flags, "with -g: GPU ports of a leaf per cable up (none: 1)");
  wish.DeclareRadix(flags);
  flags->AddCount({"k", "arity", "children and parents of a switch", "arity"}, &arity, 1,
                  kMaxPorts);
  flags->AddCount({"levels", "tree_levels", "levels of switches", "levels"}, &levels, 1,
                  kMostSizes);
  flags->AddSizes(
      {"down", "children", "instead of -k, -levels: children by level, GPUs first", "children"},
      &down, 1, kMaxPorts, "4x4x4");
  flags->AddSizes({"up", "parents", "parents of a node by level, GPUs first", "parents"}, &up, 1,
                  kMaxPorts, "1x4x4");
  flags->AddSizes({"cables", "parallel_cables", "parallel cables by level (none: 1)", "cables"},
                  &cables, 1, kMaxPorts, "1x1x2");
  flags->AddSizes(
      {"over", "level_oversubscription",
       "cables down per cable up by level below the top, or one (none: 1)", "oversubscription"},
      &over, 1, kMaxPorts, "2x1");
  DeclareServers(&servers, flags, kGpusPerServerFlag, kMaxNodes);
  DeclareRates(&rates, "rate of each level above the first, joined by commas, or one (none: -bw)",
               flags);
}

/// Sets -down and -up by the number of GPUs.
void FatTreeOptions::Settle(const std::string& name, const FlagSet& flags) {
  wish.CheckFlags(name, flags, {"k", "down", "up", "cables", "over"});
  SettleServers(flags, &servers);
  if (!wish.is_asked()) return;
  CheckWholeServers(name, wish.gpus, servers);
  SizeWish size = SizeWishOf(wish, servers);
  size.rails = rails;
  const std::uint32_t fixed_levels = flags.IsGiven("levels") ? levels : 0;
  const std::optional<TreeSizes> found = FindTreeSizes(size, fixed_levels);
  if (!found) {
    wish.RefuseSize(
        name, servers.gpus_per_server,
        fmt::format("a switch has up to {} ports (--radix), and {}", size.radix,
                    rails ? "leaves are full, one a GPU of a server" : "a leaf whole servers"),
        [&](std::uint32_t gpus) {
          size.gpus = gpus;
          return FindTreeSizes(size, fixed_levels).has_value();
        });
  }
  down = fmt::format("{}", fmt::join(found->children, "x"));
  up = fmt::format("{}", fmt::join(found->parents, "x"));
  wish.answer = fmt::format("-down {} -up {}", down, up);
}

/// Reads a list of `count` sizes; `otherwise` is the list if none is given. `may_be_one`: one size
/// counts for all.
Sizes ListOf(const std::string& name, const FlagSet& flags, const std::string& flag,
             std::size_t count, const Sizes& otherwise, bool may_be_one = false) {
  const FlagSet::Flag& found = *flags.Find(flag);
  if (*found.text == kNoList) return otherwise;
  Sizes sizes = ReadSizes(*found.text, found.least, found.most).value();
  if (may_be_one && sizes.size() == 1) sizes.resize(count, Sizes::value_type(sizes[0]));
  if (sizes.size() != count) {
    RefuseFabric(
        name, fmt::format("{} {} (-{} {})", sizes.size(), found.about.subject, flag, *found.text),
        fmt::format("{} for the levels of -down or -levels", count));
  }
  return sizes;
}

/// Parents that follow from the oversubscription: w_{l+1} = m_l p_l / (over_l p_{l+1}).
Sizes DeriveParents(const std::string& name, const Tree& tree, const Sizes& over) {
  Sizes parents = {1};
  for (std::size_t l = 0; l + 1 < tree.children.size(); ++l) {
    const std::uint64_t below = std::uint64_t{tree.children[l]} * tree.cables[l];
    const std::uint64_t above = std::uint64_t{over[l]} * tree.cables[l + 1];
    if (below % above != 0) {
      RefuseFabric(name,
                   fmt::format("level {} with {} cables down, {} : 1 (-over), in bundles of {}",
                               l + 1, below, over[l], tree.cables[l + 1]),
                   "a whole number of parents; change -k, -down, -over or -cables, or give -up");
    }
    parents.push_back(static_cast<std::uint32_t>(below / above));
  }
  return parents;
}

Tree TreeOf(const std::string& name, const FatTreeOptions& o, const FlagSet& flags) {
  for (const char* other : {"k", "levels"}) {
    if (o.down == kNoList || o.wish.is_asked() || !flags.Find(other)->is_given) continue;
    throw UsageError(fmt::format("{}: -down and -{}. Expected: one of them", name, other));
  }
  if (o.up != kNoList && o.over != kNoList) {
    throw UsageError(name + ": -up and -over. Expected: one of them");
  }
  Tree tree;
  tree.children =
      o.down == kNoList ? Sizes(o.levels, o.arity) : ReadSizes(o.down, 1, kMaxPorts).value();
  const std::size_t h = tree.children.size();
  tree.cables = ListOf(name, flags, "cables", h, Sizes(h, 1));
  const Sizes over = ListOf(name, flags, "over", h - 1, Sizes(h - 1, 1), true);
  tree.parents =
      o.up == kNoList ? DeriveParents(name, tree, over) : ListOf(name, flags, "up", h, {});
  return tree;
}

/// Nodes of each level, GPUs first.
std::vector<double> NodesByLevel(const Tree& tree) {
  std::vector<double> nodes = {1};
  for (const double children : tree.children) nodes[0] *= children;
  for (std::size_t l = 0; l < tree.children.size(); ++l) {
    nodes.push_back(nodes.back() / tree.children[l] * tree.parents[l]);
  }
  return nodes;
}

void CheckTree(const std::string& name, const ServerOptions& servers, bool rails,
               const Tree& tree) {
  const std::vector<double> nodes = NodesByLevel(tree);
  const double nics = nodes[0] * tree.parents[0] * tree.cables[0];
  FabricSize size = {nodes[0], 0, nics, 0};
  for (std::size_t l = 1; l < nodes.size(); ++l) {
    size.switches += nodes[l];
    if (l > 1) size.cables += nodes[l] * tree.children[l - 1] * tree.cables[l - 1];
  }
  CheckSize(name, servers, size);
  CheckNvSwitches(name, servers, "gps");
  const auto gpus = static_cast<std::uint32_t>(nodes[0]);
  if (gpus % servers.gpus_per_server != 0) {
    RefuseFabric(name,
                 fmt::format("{} GPUs in servers of {} (-gps)", gpus, servers.gpus_per_server),
                 fmt::format("a divisor of {}", gpus));
  }
  if (rails && gpus / servers.gpus_per_server % tree.children[0] != 0) {
    RefuseFabric(name,
                 fmt::format("{} servers under leaves of {} GPUs, one of a server",
                             gpus / servers.gpus_per_server, tree.children[0]),
                 "whole leaves: another -down or -k");
  }
}

/// The leaf of a GPU: GPUs in order, or of as many servers as a leaf has ports those with the same
/// place in their server.
std::uint32_t LeafOf(std::uint32_t gpu, std::uint32_t gpus_per_leaf, std::uint32_t gpus_per_server,
                     bool rails) {
  if (!rails) return gpu / gpus_per_leaf;
  return gpu / gpus_per_server / gpus_per_leaf * gpus_per_server + gpu % gpus_per_server;
}

/// Adds the cables of level `l` > 0 (0: level 1), whose children begin at switch `first_child`.
void AddLevel(const Tree& tree, std::size_t l, std::uint32_t children, std::uint32_t parents_below,
              std::uint32_t first_child, std::uint8_t type, PlanBuilder* builder) {
  for (std::uint32_t child = 0; child < children; ++child) {
    const std::uint32_t a = child / parents_below / tree.children[l], b = child % parents_below;
    for (std::uint32_t digit = 0; digit < tree.parents[l]; ++digit) {
      const std::uint32_t parent = (a * tree.parents[l] + digit) * parents_below + b;
      builder->AddCables(first_child + child, first_child + children + parent, type,
                         tree.cables[l]);
    }
  }
}

FabricPlan FatTreeOptions::Plan(const std::string& name, const FlagSet& flags) const {
  const Tree tree = TreeOf(name, *this, flags);
  CheckTree(name, servers, rails, tree);
  const std::size_t h = tree.children.size();
  const std::vector<std::string> rate_of =
      RatesOf(name, rates, h - 1, "levels above the first", servers.bandwidth);
  std::vector<std::uint32_t> nodes;
  std::uint32_t switches = 0;
  for (const double count : NodesByLevel(tree)) nodes.push_back(static_cast<std::uint32_t>(count));
  for (std::size_t l = 1; l <= h; ++l) switches += nodes[l];

  PlanBuilder builder(servers, nodes[0], switches);
  for (std::uint32_t gpu = 0; gpu < nodes[0]; ++gpu) {
    builder.AddNvLinks(gpu);
    const std::uint32_t first =
        LeafOf(gpu, tree.children[0], servers.gpus_per_server, rails) * tree.parents[0];
    for (std::uint32_t nic = 0; nic < tree.parents[0] * tree.cables[0]; ++nic) {
      builder.AddNic(gpu, first + nic / tree.cables[0]);
    }
  }
  std::uint32_t first_child = 0, parents_below = tree.parents[0];
  for (std::size_t l = 1; l < h; ++l) {
    const std::uint8_t type = builder.AddType(rate_of[l - 1], servers.latency);
    AddLevel(tree, l, nodes[l], parents_below, first_child, type, &builder);
    first_child += nodes[l];
    parents_below *= tree.parents[l];
  }
  FabricPlan plan = builder.Take();
  CheckPorts(plan, name, "fewer children or parents (-k, -down, -up) or cables (-cables)");
  return plan;
}

}  // namespace

Family FatTreeFamily() {
  return {"Fat trees",
          {Shape("FatTree", "k-ary n-tree, XGFT, parallel cables", FatTreeOptions()),
           Shape("RailTree", "rail-optimised fat tree of two tiers and more", RailTreeOptions())}};
}

}  // namespace heddle
