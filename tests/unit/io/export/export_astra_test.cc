// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_astra.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "tests/unit/io/export/workload_tables.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;

/// Two layers; the first one has communications in two phases, in two sets.
AstraTables TwoLayers() {
  LayerFigures first, second;
  first.name = "a,b";
  first.fwd = {1000};
  first.wg = {2000, 500, 900};
  first.ig = second.fwd = second.wg = {0};
  first.tail_ns = 200;
  second.name = "c";
  second.ig = {4000};
  AstraTables tables{
      {"jobs", "", {{"job", "1", "", U32{0}}, {"name", "1", "", std::vector<std::string>{""}}}},
      {"ranks", "", {{"job", "1", "", U32{0, 0}}, {"end_ps", "ps", "", I64{7'000'000, 8'000'000}}}},
      LayersOf({first, second}),
      {"phase_delays",
       "",
       {{"job", "1", "", U32{0, 0, 0, 0, 1}},
        {"layer", "1", "", U32{0, 0, 0, 0, 1}},
        {"chunk_phase", "1", "", U32{0, 1, 0, 1, 1}},
        {"chunks", "1", "", I64{2, 2, 2, 2, 1}},
        {"queued_ps", "ps", "", I64{0, 6'000'000, 4'000'000, 0, 1}},
        {"messages", "1", "", I64{0, 3, 0, 1, 1}},
        {"network_ps", "ps", "", I64{0, 2'000'000, 0, 6'000'000, 1}}}}};
  return tables;
}

TEST(ExportAstra, EndToEndHasALineALayerAndTotalsInTheFirst) {
  std::ostringstream out;
  ExportAstraEndToEnd(TwoLayers(), 0, out);
  EXPECT_EQ(out.str(),
            ",,fwd compute,wg compute,ig compute,fwd exposed comm,wg exposed comm,ig exposed comm,"
            "fwd total comm,wg total comm,ig total comm,all comm finished,total comp,"
            "total exposed comm\n"
            "\"a,b\",heddle,1.000000,2.000000,0.000000,0.000000,0.300000,0.000000,0.000000,"
            "0.900000,0.000000,8.000000,7.000000,0.300000\n"
            "c,heddle,0.000000,0.000000,4.000000,0.000000,0.000000,0.000000,0.000000,0.000000,"
            "0.000000,8.000000,,\n");
}

TEST(ExportAstra, DetailedHasMeansOfTheLayersSets) {
  std::ostringstream out;
  ExportAstraDetailed(TwoLayers(), 0, out);
  EXPECT_EQ(out.str(),
            ",,shared bus transfer queue delay,shared bus transfer delay,"
            "shared bus processing queue delay,shared bus processing delay,mem bus queue delay,"
            "mem bus delay,queuing delay phase 0,queuing delay phase 1,network delay phase 1\n"
            "\"a,b\",heddle,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,1.000000,"
            "1.500000,2.000000\n"
            "c,heddle,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000,,,\n");
}

TEST(ExportAstra, AJobThatThereIsNot) {
  std::ostringstream out;
  EXPECT_THROW(ExportAstraEndToEnd(TwoLayers(), 3, out), UserError);
  EXPECT_THROW(ExportAstraDetailed(TwoLayers(), 3, out), UserError);
}

}  // namespace
}  // namespace heddle
