// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/template_flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/app/views/inspect/template_help.h"
#include "core/base/check.h"

namespace heddle {
namespace {

ParsedTemplate Parse(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> args;
  for (std::string word; in >> word;) {
    args.push_back(word);
  }
  return ParseTemplateFlags(args);
}

/// The value of a flag, by its short name.
std::string ValueOf(const ParsedTemplate& parsed, const std::string& flag) {
  return parsed.flags.Find(flag)->Value();
}

TEST(TemplateFlags, WithoutATemplateFlagsChooseTheWiring) {
  EXPECT_EQ(Parse("").name, "DCN-SingleToR");
  EXPECT_EQ(Parse("--dt").name, "DCN-DualToR");
  EXPECT_EQ(Parse("--ro").name, "Spectrum-X");
  EXPECT_EQ(Parse("-ro --dt").name, "AlibabaHPN-SinglePlane");
  EXPECT_EQ(Parse("--ro --dt --dp").name, "AlibabaHPN-DualPlane");
  EXPECT_THROW(Parse("--dp"), UsageError);
  EXPECT_THROW(Parse("--ro --dp"), UsageError);
  EXPECT_EQ(ValueOf(Parse("--ro"), "g"), "32");
}

TEST(TemplateFlags, NumbersMayFollowShortNamesAtOnce) {
  const ParsedTemplate parsed = Parse("Spectrum-X -g64 -gps8 -bw100Gbps");
  EXPECT_EQ(ValueOf(parsed, "g"), "64");
  EXPECT_EQ(ValueOf(parsed, "gps"), "8");
  EXPECT_EQ(ValueOf(parsed, "bw"), "100Gbps");
  EXPECT_THROW(Parse("Spectrum-X -k8"), UsageError);
  EXPECT_THROW(Parse("Spectrum-X --g64"), UsageError);
}

TEST(TemplateFlags, SimaiNamesBecomeOurs) {
  EXPECT_EQ(Parse("-topo AlibabaHPN").name, "AlibabaHPN-SinglePlane");
  EXPECT_EQ(Parse("-topo AlibabaHPN --dp").name, "AlibabaHPN-DualPlane");
  EXPECT_EQ(Parse("--topology DCN+").name, "DCN-SingleToR");
  EXPECT_EQ(Parse("-topo=DCN+ --dt").name, "DCN-DualToR");
  EXPECT_EQ(Parse("-topo Spectrum-X --dt").name, "Spectrum-X");
  EXPECT_EQ(Parse("DCN-DualToR -g 64").name, "DCN-DualToR");
  EXPECT_EQ(ValueOf(Parse("-topo AlibabaHPN"), "g"), "15360");
  EXPECT_EQ(ValueOf(Parse("-topo AlibabaHPN --dp"), "app"), "120");
}

/// Checks the parameter of each flag in the plan: every value differs from its default.
void ExpectSmallFabric(const ParsedTemplate& parsed) {
  const FabricPlan plan = parsed.maker->Plan(parsed.flags);
  EXPECT_EQ(plan.gpus, 12u);
  EXPECT_EQ(plan.gpus_per_server, 2u);
  EXPECT_EQ(plan.gpu_type, "A");
  EXPECT_EQ(plan.nvswitches, 6u * 13);
  EXPECT_EQ(plan.switches, 2u * 2 + 10);  // 12 GPUs, 2 rails of 5 NICs: 2 segments; 10 spines
  ASSERT_EQ(plan.types.size(), 3u);
  EXPECT_EQ(plan.types[0].rate, "4Gbps");
  EXPECT_EQ(plan.types[0].delay, "5us");
  EXPECT_EQ(plan.types[1].rate, "3Gbps");
  EXPECT_EQ(plan.types[1].delay, "6us");
  EXPECT_EQ(plan.types[1].error_rate, "0.7");
  EXPECT_EQ(plan.types[2].rate, "11Gbps");
  EXPECT_EQ(ValueOf(parsed, "asn"), "8888");
  EXPECT_EQ(ValueOf(parsed, "app"), "1212");
}

TEST(TemplateFlags, ShortFlagsSetTheirFields) {
  ExpectSmallFabric(
      Parse("Spectrum-X -g 12 -gps 2 -gt A -bw 3Gbps -nvbw 4Gbps -nl 5us -l 6us -er 0.7 -asn 8888 "
            "-npa 5 -psn 10 -apbw 11Gbps -app 1212 -nsps 13"));
}

TEST(TemplateFlags, LongFlagsSetTheSameFields) {
  const auto p = Parse(
      "--topology Spectrum-X --gpu=12 --gpu_per_server 2 --gpu_type A --bandwidth 3Gbps "
      "--nvlink_bw 4Gbps --nv_latency 5us --latency 6us --error_rate 0.7 --asw_switch_num 8888 "
      "--nics_per_aswitch 5 --psw_switch_num 10 --ap_bandwidth 11Gbps --asw_per_psw 1212 "
      "--nv_switch_per_server 13 -o f.txt");
  EXPECT_EQ(p.output, "f.txt");
  ExpectSmallFabric(p);
}

TEST(TemplateFlags, OnlyAGivenNumberOfLeavesIsWorthANote) {
  const ParsedTemplate given = Parse("Spectrum-X -asn 8");
  EXPECT_EQ(given.maker->Notes(given.flags).size(), 1u);
  const ParsedTemplate other = Parse("Spectrum-X -psn 8");
  EXPECT_TRUE(other.maker->Notes(other.flags).empty());
}

TEST(TemplateFlags, MistakesAreUsageErrors) {
  for (const char* line : {"-g", "-g x", "-g -1", "-g 1.5", "-g 99999999999", "--gpu --dt",
                           "--dt=1", "Spectrum-X DCN+", "-o"}) {
    EXPECT_THROW(Parse(line), UsageError) << line;
  }
  EXPECT_THROW(Parse("-topo Nothing"), UserError);
  try {
    Parse("--bandwith 100Gbps");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--bandwidth"), std::string::npos) << error.what();
  }
}

/// One screen, which names every fabric and says where its flags are.
TEST(TemplateFlags, HelpIsAScreenOfFabrics) {
  const std::string help = TemplateListHelp();
  for (const std::string& name : TemplateNames()) {
    EXPECT_NE(help.find("\n  " + name + " "), std::string::npos) << name;
  }
  EXPECT_NE(help.find("FABRIC --help"), std::string::npos);
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 30);
}

/// The help of a fabric has its flags with its defaults, and no other family's.
TEST(TemplateFlags, HelpOfAFabricHasItsFlagsOnly) {
  const std::string tree = TemplateHelp({"fat-tree", "--help"});
  EXPECT_NE(tree.find("-levels, --tree_levels"), std::string::npos) << tree;
  for (const char* other : {"-dims", "-npa", "--dp", "-gl", "-racks"}) {
    EXPECT_EQ(tree.find(other), std::string::npos) << other;
  }
  const std::string hpn = TemplateHelp({"--help", "-topo", "alibabahpn-dualplane"});
  for (const char* part : {"--dp", "-npa, --nics_per_aswitch", "GPU ports of a leaf [128]",
                           "-g, --gpu, --gpus ", "[15360]"}) {
    EXPECT_NE(hpn.find(part), std::string::npos) << part << "\n" << hpn;
  }
  EXPECT_EQ(hpn.find("-levels"), std::string::npos);
  EXPECT_EQ(TemplateHelp({"-g", "64", "--help"}), "");
  EXPECT_THROW(TemplateHelp({"fat-three", "--help"}), UserError);
}

TEST(TemplateFlags, CapitalsAndHyphensOfNamesDoNotCount) {
  for (const auto& [word, name] : std::vector<std::pair<std::string, std::string>>{
           {"spectrum-x", "Spectrum-X"},
           {"spectrumx", "Spectrum-X"},
           {"fat-tree", "FatTree"},
           {"FATTREE", "FatTree"},
           {"dragonfly", "Dragonfly"},
           {"dragonfly+", "DragonflyPlus"},
           {"dragonfly-plus", "DragonflyPlus"},
           {"full_mesh", "FullMesh"},
           {"dcn+", "DCN-SingleToR"},
           {"alibaba-hpn", "AlibabaHPN-SinglePlane"}}) {
    EXPECT_EQ(ParseTemplateFlags({word}).name, name) << word;
  }
  EXPECT_EQ(ParseTemplateFlags({"alibabahpn", "--dp"}).name, "AlibabaHPN-DualPlane");
}

/// A family defined by the test: GPUs in a ring, a flag that SimAI's family has with another
/// meaning, and one that it lacks.
class RingMaker final : public FabricMaker {
 public:
  void Declare(FlagSet* flags) override {
    flags->AddCount({"g", "gpu", "GPUs of the ring", "GPUs"}, &gpus_, 3, 100);
    flags->AddLinkValue({"rbw", "ring_bw", "rate GPU-GPU", "rate of the ring"},
                        FlagSet::Kind::kRate, &rate_);
  }
  FabricPlan Plan(const FlagSet& flags) const override {
    flags.CheckCounts("Ring");
    flags.CheckTexts("Ring");
    FabricPlan plan;
    plan.gpus = gpus_;
    plan.types = {{rate_, "1us", "0"}};
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
      plan.cables.push_back({gpu, (gpu + 1) % gpus_, 0});
    }
    return plan;
  }

 private:
  std::uint32_t gpus_ = 4;
  std::string rate_ = "50Gbps";
};

std::vector<Family> WithRings() {
  std::vector<Family> families = Families();
  families.push_back(
      {"Rings", {{"Ring", "GPUs in a ring", [] { return std::make_unique<RingMaker>(); }}}});
  return families;
}

TEST(TemplateFlags, AFamilyBringsItsOwn) {
  const std::vector<Family> families = WithRings();
  const ParsedTemplate ring = ParseTemplateFlags({"Ring", "-rbw", "20Gbps", "-g", "3"}, families);
  EXPECT_EQ(PlanText(ring.maker->Plan(ring.flags)),
            "3 1 0 0 3 NONE\n\n0 1 20Gbps 1us 0\n1 2 20Gbps 1us 0\n2 0 20Gbps 1us 0\n");
  EXPECT_EQ(ParseTemplateFlags({"DCN-DualToR"}, families).name, "DCN-DualToR");
  EXPECT_EQ(ParseTemplateFlags({}, families).name, "DCN-SingleToR");
  for (const char* wrong : {"-g=2", "-rbw=2"}) {
    const ParsedTemplate refused = ParseTemplateFlags({"Ring", wrong}, families);
    EXPECT_THROW(refused.maker->Plan(refused.flags), UserError) << wrong;
  }
  // Flags and toggles of another family.
  EXPECT_THROW(ParseTemplateFlags({"Ring", "-npa", "3"}, families), UsageError);
  EXPECT_THROW(ParseTemplateFlags({"Ring", "--dt"}, families), UsageError);
  EXPECT_THROW(ParseTemplateFlags({"DCN+", "-rbw", "20Gbps"}, families), UsageError);
  EXPECT_THROW(ParseTemplateFlags({"Rung"}, families), UserError);
}

TEST(TemplateFlags, HelpAndCompletionOfferEveryFamily) {
  const std::vector<Family> families = WithRings();
  EXPECT_NE(TemplateListHelp(families).find("  Ring                     GPUs in a ring\n"),
            std::string::npos);
  const std::string help = TemplateHelp({"ring"}, families);
  for (const char* part : {"Ring: GPUs in a ring\n", "GPUs of the ring [4]\n", "[50Gbps]\n"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part << "\n" << help;
  }
  EXPECT_EQ(TemplateNames(families).back(), "Ring");
  EXPECT_EQ(TemplateFlags(families).back().name, "ring_bw");
  EXPECT_EQ(TemplateFlags(families).size(), TemplateFlags().size() + 1);
}

}  // namespace
}  // namespace heddle
