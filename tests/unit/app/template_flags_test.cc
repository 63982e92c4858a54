// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/inspect/template_flags.h"

#include <gtest/gtest.h>

#include <sstream>

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

TEST(TemplateFlags, WithoutATemplateFlagsChooseTheWiring) {
  EXPECT_EQ(Parse("").template_name, "DCN-SingleToR");
  EXPECT_EQ(Parse("--dt").template_name, "DCN-DualToR");
  EXPECT_EQ(Parse("--ro").template_name, "Spectrum-X");
  EXPECT_EQ(Parse("-ro --dt").template_name, "AlibabaHPN-SinglePlane");
  EXPECT_EQ(Parse("--ro --dt --dp").template_name, "AlibabaHPN-DualPlane");
  EXPECT_THROW(Parse("--dp"), UsageError);
  EXPECT_THROW(Parse("--ro --dp"), UsageError);
  EXPECT_EQ(Parse("--ro").options.gpus, 32u);
}

TEST(TemplateFlags, SimaiNamesBecomeOurs) {
  EXPECT_EQ(Parse("-topo AlibabaHPN").template_name, "AlibabaHPN-SinglePlane");
  EXPECT_EQ(Parse("-topo AlibabaHPN --dp").template_name, "AlibabaHPN-DualPlane");
  EXPECT_EQ(Parse("--topology DCN+").template_name, "DCN-SingleToR");
  EXPECT_EQ(Parse("-topo=DCN+ --dt").template_name, "DCN-DualToR");
  EXPECT_EQ(Parse("-topo Spectrum-X --dt").template_name, "Spectrum-X");
  EXPECT_EQ(Parse("DCN-DualToR -g 64").template_name, "DCN-DualToR");
  EXPECT_EQ(Parse("-topo AlibabaHPN").options.gpus, 15'360u);
  EXPECT_EQ(Parse("-topo AlibabaHPN --dp").options.asws_per_psw, 120u);
}

TEST(TemplateFlags, ShortFlagsSetTheirFields) {
  const auto o =
      Parse(
          "Spectrum-X -g 1 -gps 2 -gt A -bw 3 -nvbw 4 -nl 5 -l 6 -er 7 -asn 8 -npa 9 -psn "
          "10 -apbw 11 -app 12 -nsps 13")
          .options;
  EXPECT_EQ(o.gpus, 1u);
  EXPECT_EQ(o.gpus_per_server, 2u);
  EXPECT_EQ(o.gpu_type, "A");
  EXPECT_EQ(o.bandwidth, "3");
  EXPECT_EQ(o.nvlink_bandwidth, "4");
  EXPECT_EQ(o.nvlink_latency, "5");
  EXPECT_EQ(o.latency, "6");
  EXPECT_EQ(o.error_rate, "7");
  EXPECT_EQ(o.asw_switches, 8u);
  EXPECT_TRUE(Parse("Spectrum-X -asn 8").asw_switches_given);
  EXPECT_FALSE(Parse("Spectrum-X -psn 8").asw_switches_given);
  EXPECT_EQ(o.nics_per_asw, 9u);
  EXPECT_EQ(o.psw_switches, 10u);
  EXPECT_EQ(o.asw_psw_bandwidth, "11");
  EXPECT_EQ(o.asws_per_psw, 12u);
  EXPECT_EQ(o.nvswitches_per_server, 13u);
}

TEST(TemplateFlags, LongFlagsSetTheSameFields) {
  const auto p = Parse(
      "--topology Spectrum-X --gpu=1 --gpu_per_server 2 --gpu_type A --bandwidth 3 --nvlink_bw 4 "
      "--nv_latency 5 --latency 6 --error_rate 7 --asw_switch_num 8 --nics_per_aswitch 9 "
      "--psw_switch_num 10 --ap_bandwidth 11 --asw_per_psw 12 --nv_switch_per_server 13 -o f.txt");
  EXPECT_EQ(p.output, "f.txt");
  EXPECT_EQ(p.options.gpus, 1u);
  EXPECT_EQ(p.options.latency, "6");
  EXPECT_EQ(p.options.nvlink_latency, "5");
  EXPECT_EQ(p.options.asw_psw_bandwidth, "11");
  EXPECT_EQ(p.options.nvswitches_per_server, 13u);
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

TEST(TemplateFlags, HelpNamesEveryFlagAndTemplate) {
  const std::string help = TemplateFlagsHelp();
  for (const char* word : {"-topo", "-nsps", "--asw_per_psw", "--dp", "DCN-DualToR", "15360"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace heddle
