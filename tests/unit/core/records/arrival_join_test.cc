// SPDX-License-Identifier: GPL-2.0-only
#include "core/records/arrival_join.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using U32 = std::vector<std::uint32_t>;

Table Flows(const U32& source, const U32& number, const I64& start) {
  return {"flows",
          "",
          {{"src", "1", "", source},
           {"number", "1", "", number},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", start},
           {"state", "1", "", std::vector<std::uint8_t>(source.size())}}};
}

Table Arrivals(const U32& source, const U32& number, const I64& time) {
  return {"arrivals",
          "",
          {{"src", "1", "", source}, {"number", "1", "", number}, {"time_ps", "ps", "", time}}};
}

/// Blocks of arrivals, then empty ones.
ArrivalJoin Join(std::vector<Table>* blocks) {
  return ArrivalJoin([blocks] {
    if (blocks->empty()) return Arrivals({}, {}, {});
    const Table block = blocks->front();
    blocks->erase(blocks->begin());
    return block;
  });
}

TEST(ArrivalJoin, TheEarliestArrivalCountsWhereverBlocksEnd) {
  std::vector<Table> arrivals = {Arrivals({1, 7}, {9, 0}, {5, 300}),
                                 Arrivals({7, 7, 9}, {0, 2, 0}, {400, 60, 7})};
  ArrivalJoin join = Join(&arrivals);
  Table first = Flows({2, 7}, {0, 0}, {1000, 100});
  join.AddReceived(&first);
  EXPECT_EQ(GetColumn<std::int64_t>(first, "received_ps"), (I64{-1, 200}));
  EXPECT_EQ(first.columns[4].name, "received_ps");  // behind fct_ps
  Table second = Flows({7, 7, 9, 9}, {1, 2, 0, 1}, {1, 50, 7, 0});
  join.AddReceived(&second);
  EXPECT_EQ(GetColumn<std::int64_t>(second, "received_ps"), (I64{-1, 10, 0, -1}));
}

TEST(ArrivalJoin, TheColumnMayBeThereAndTheEarliestCounts) {
  std::vector<Table> arrivals = {Arrivals({2, 7, 7}, {0, 0, 1}, {1030, 109, 140})};
  ArrivalJoin join = Join(&arrivals);
  Table flows = Flows({2, 7, 7, 8}, {0, 0, 1, 5}, {1000, 100, 100, 3});
  flows.columns.insert(flows.columns.begin() + 4, ReceivedColumn({20, 10, -1, 6}));
  join.AddReceived(&flows);
  EXPECT_EQ(flows.columns.size(), 6u);
  EXPECT_EQ(GetColumn<std::int64_t>(flows, "received_ps"), (I64{20, 9, 40, 6}));
  flows.columns[4].data = U32{1, 2, 3, 4};
  EXPECT_THROW(join.AddReceived(&flows), UserError);
}

TEST(ArrivalJoin, AMissingColumnIsNamed) {
  std::vector<Table> none;
  ArrivalJoin join = Join(&none);
  Table flows = Flows({}, {}, {});
  flows.columns.erase(flows.columns.begin() + 3);
  EXPECT_THROW(join.AddReceived(&flows), UserError);
  EXPECT_THROW(ArrivalJoin([&] { return flows; }), UserError);
}

}  // namespace
}  // namespace heddle
