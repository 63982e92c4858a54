// SPDX-License-Identifier: GPL-2.0-only
#include "topology/leaf_spine/leaf_spine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "topology/leaf_spine/leaf_spine_ratio.h"
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

/// SimAI's flags, in the order of its help.
void DeclareFlags(LeafSpineOptions* o, FlagSet* flags) {
  const std::uint32_t nodes = kMaxNodes, any = FlagSet::kUnbounded;
  flags->AddCount({"g", "gpu", "number of GPUs", "GPUs", "gpus"}, &o->gpus, 1, nodes);
  DeclareServers(o, flags, kGpusPerServerFlag, nodes);
  flags->AddCount({"asn", "asw_switch_num", "leaf switches (advisory)", "leaf switches"},
                  &o->leaf_switches, 0, any);
  flags->AddCount({"npa", "nics_per_aswitch", "GPU ports of a leaf", "NICs per leaf"},
                  &o->nics_per_leaf, 1, nodes);
  flags->AddCount({"psn", "psw_switch_num", "spine switches", "spine switches"}, &o->spine_switches,
                  0, nodes);
  flags->AddLinkValue({"apbw", "ap_bandwidth", "rate leaf-spine", "rate leaf-spine"},
                      FlagSet::Kind::kRate, &o->leaf_spine_bandwidth);
  flags->AddCount({"app", "asw_per_psw", "leaf ports of a spine", "leaves per spine"},
                  &o->leaves_per_spine, 1, nodes);
  flags->AddRatio(
      {"ov", "oversubscription", "ratio at the leaves, from which -npa, -psn and -app follow",
       "oversubscription"},
      &o->oversubscription);
}

void CheckCounts(const LeafSpineTemplate& t, const LeafSpineOptions& o) {
  CheckWholeServers(t.name, o.gpus, o);
  if (o.spine_switches % t.planes != 0) {
    RefuseFabric(t.name,
                 fmt::format("{} spine switches (-psn) for {} planes", o.spine_switches, t.planes),
                 "an even number");
  }
}

/// Checks that segments are joined, and SimAI's limit: leaf ports of a spine over the leaves that a
/// segment has in its plane.
void CheckSegments(const LeafSpineTemplate& t, const LeafSpineOptions& o) {
  const std::uint32_t leaves = t.leaves_per_segment(o) / t.planes;
  const std::uint32_t segments = t.segments(o);
  if (o.spine_switches == 0) {
    if (segments == 1) return;
    RefuseFabric(t.name, fmt::format("{} segments without a spine switch (-psn 0)", segments),
                 "one segment: more NICs per leaf (-npa) or fewer GPUs (-g); or spines");
  }
  if (segments > o.leaves_per_spine / leaves) {
    RefuseFabric(
        t.name,
        fmt::format("{} segments with {} leaves each do not fit spines with {} leaf ports (-app)",
                    segments, leaves, o.leaves_per_spine),
        fmt::format("-app {} or more, or more NICs per leaf (-npa), or fewer GPUs (-g)",
                    std::uint64_t{segments} * leaves));
  }
}

std::uint64_t CountLeaves(const LeafSpineTemplate& t, const LeafSpineOptions& o) {
  return std::uint64_t{t.segments(o)} * t.leaves_per_segment(o);
}

FabricSize SizeOf(const LeafSpineTemplate& t, const LeafSpineOptions& o) {
  const auto leaves = static_cast<double>(CountLeaves(t, o));
  return {static_cast<double>(o.gpus), leaves + o.spine_switches,
          static_cast<double>(o.gpus) * t.leaves_of_gpu, leaves * (o.spine_switches / t.planes)};
}

/// Checks the options and derives what their ratio leaves open; `flags` are bound to `given`.
LeafSpineOptions Resolve(const LeafSpineTemplate& t, const LeafSpineOptions& given,
                         const FlagSet& flags) {
  flags.CheckCounts(t.name);
  CheckCounts(t, given);
  if (given.oversubscription == kNoRatio) return given;
  flags.CheckTexts(t.name);
  return DeriveFromRatio(t, given, flags);
}

/// Makes the plan; `flags` are bound to `given`.
FabricPlan PlanOf(const LeafSpineTemplate& t, const LeafSpineOptions& given, const FlagSet& flags) {
  const LeafSpineOptions options = Resolve(t, given, flags);
  CheckSegments(t, options);
  CheckSize(t.name, options, SizeOf(t, options));
  flags.CheckTexts(t.name);
  FabricPlan plan = t.build(options);
  CheckPorts(plan, t.name,
             "fewer GPUs a server (-gps), NVSwitches (-nsps), NICs per leaf (-npa) or spines "
             "(-psn)");
  return plan;
}

FabricPlan PlanOf(const LeafSpineTemplate& t, LeafSpineOptions options) {
  FlagSet flags;
  DeclareFlags(&options, &flags);
  return PlanOf(t, options, flags);
}

std::vector<std::string> LeafNotes(const LeafSpineTemplate& t, const LeafSpineOptions& options) {
  const std::uint64_t leaves = CountLeaves(t, options);
  if (leaves == options.leaf_switches) return {};
  return {fmt::format("{} leaf switches follow from -g, -gps and -npa; -asn {} has no effect",
                      leaves, options.leaf_switches)};
}

class LeafSpineMaker final : public FabricMaker {
 public:
  LeafSpineMaker(const LeafSpineTemplate& t, LeafSpineOptions options)
      : template_(t), options_(std::move(options)) {}

  void Declare(FlagSet* flags) override { DeclareFlags(&options_, flags); }
  FabricPlan Plan(const FlagSet& flags) const override {
    return PlanOf(template_, options_, flags);
  }
  /// Notes only flags that the user gave, not defaults.
  std::vector<std::string> Notes(const FlagSet& flags) const override {
    const LeafSpineOptions options = Resolve(template_, options_, flags);
    std::vector<std::string> notes;
    if (flags.Find("asn")->is_given) notes = LeafNotes(template_, options);
    if (options.spine_switches == 0 &&
        template_.leaves_per_segment(options) > template_.leaves_of_gpu) {
      notes.push_back(std::string("rail-only (-psn 0): ") + kRailOnlyNote);
    }
    return notes;
  }
  WantedRatio wanted_ratio() const override {
    return {ReadRatio(options_.oversubscription).value_or(1), "-psn, -npa, -bw and -apbw"};
  }

 private:
  const LeafSpineTemplate& template_;
  LeafSpineOptions options_;
};

FabricAliases::Choice Choose(const std::string& name, const LeafSpineOptions& options) {
  return {name, std::make_unique<LeafSpineMaker>(FindTemplate(name), options)};
}

/// SimAI has two names for two wirings each. Without a name, --ro, --dt and --dp select the wiring,
/// with defaults that differ from those of the templates.
FabricAliases::Choice ChooseByToggles(const std::string& word,
                                      const std::set<std::string>& toggles) {
  const bool rails = toggles.count("ro") > 0, dual_tor = toggles.count("dt") > 0,
             dual_plane = toggles.count("dp") > 0;
  if (!word.empty()) {
    const std::string name = word == "AlibabaHPN"
                                 ? (dual_plane ? "AlibabaHPN-DualPlane" : "AlibabaHPN-SinglePlane")
                                 : (dual_tor ? "DCN-DualToR" : "DCN-SingleToR");
    return Choose(name, FindTemplate(name).defaults);
  }
  if (dual_plane && !(rails && dual_tor)) {
    throw UsageError("--dp without --ro and --dt names no wiring. Expected: --ro --dt --dp");
  }
  const std::string name = dual_plane ? "AlibabaHPN-DualPlane"
                           : rails    ? (dual_tor ? "AlibabaHPN-SinglePlane" : "Spectrum-X")
                                      : (dual_tor ? "DCN-DualToR" : "DCN-SingleToR");
  return Choose(name, {});
}

}  // namespace

Family LeafSpineFamily() {
  Family family;
  family.title = "Leaves and spines, as SimAI wires them";
  for (const LeafSpineTemplate& t : LeafSpineTemplates()) {
    family.fabrics.push_back(
        {t.name, t.summary, [&t] { return std::make_unique<LeafSpineMaker>(t, t.defaults); }});
  }
  family.aliases = {{"AlibabaHPN", "DCN+"},
                    {{"ro", "rails"}, {"dt", "two leaves a GPU"}, {"dp", "two planes"}},
                    "SimAI's AlibabaHPN and DCN+ too",
                    {"without a template: rails, two leaves a GPU, two planes;",
                     "--dp picks AlibabaHPN's two planes, --dt DCN+'s two leaves"},
                    "without -topo; --ro, --dt, --dp choose",
                    ChooseByToggles};
  return family;
}

const std::vector<LeafSpineTemplate>& LeafSpineTemplates() {
  static const std::vector<LeafSpineTemplate> kTemplates = {
      SpectrumX(), AlibabaHpnSinglePlane(), AlibabaHpnDualPlane(), DcnSingleTor(), DcnDualTor()};
  return kTemplates;
}

const LeafSpineTemplate& FindTemplate(const std::string& name) {
  const auto& all = LeafSpineTemplates();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const LeafSpineTemplate& t) { return t.name == name; });
  if (found == all.end()) {
    throw UserError("unknown template \"" + Printable(name) +
                    "\". Expected: one of leaves and spines");
  }
  return *found;
}

Graph Generate(const std::string& template_name, const LeafSpineOptions& options) {
  return MakeGraph(PlanOf(FindTemplate(template_name), options));
}

std::string GenerateText(const std::string& template_name, const LeafSpineOptions& options) {
  return PlanText(PlanOf(FindTemplate(template_name), options));
}

std::vector<std::string> TemplateNotes(const std::string& template_name,
                                       const LeafSpineOptions& options) {
  const LeafSpineTemplate& t = FindTemplate(template_name);
  LeafSpineOptions checked = options;
  FlagSet flags;
  DeclareFlags(&checked, &flags);
  return LeafNotes(t, Resolve(t, checked, flags));
}

}  // namespace heddle
