// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/printed_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/table/json_document.h"

namespace heddle {
namespace {

struct Car {
  std::string name;
  std::optional<double> seconds;
  int wheels = 4;
};

PrintedColumns<Car> CarColumns() {
  return {{"name", &Car::name, "car", -8},
          {"time_us",
           [](const Car& car) {
             return car.seconds ? OrderedJson(*car.seconds * 1e6) : OrderedJson(nullptr);
           },
           "ms", 7,
           [](const Car& car) {
             return car.seconds ? fmt::format("{:.1f}", *car.seconds * 1e3) : "-";
           }},
          {"wheels", &Car::wheels}};
}

const std::vector<Car> kCars = {{"a,b", 0.0012345}, {"c", std::nullopt, 3}};

TEST(PrintedTable, TextHasTheColumnsWithAWidth) {
  EXPECT_EQ(PrintedHead(CarColumns()), "car          ms\n");
  EXPECT_EQ(PrintedLine(CarColumns(), kCars[0]), "a,b         1.2\n");
  EXPECT_EQ(PrintedLine(CarColumns(), kCars[1]), "c             -\n");
}

TEST(PrintedTable, CsvAndJsonHaveAllColumnsAtFullPrecision) {
  EXPECT_EQ(PrintedCsvHead(CarColumns()), "name,time_us,wheels\n");
  EXPECT_EQ(PrintedCsvLine(CarColumns(), kCars[0]), "\"a,b\",1234.500000,4\n");
  EXPECT_EQ(PrintedCsvLine(CarColumns(), kCars[1]), "c,,3\n");
  const OrderedJson list = PrintedList(CarColumns(), kCars);
  EXPECT_EQ(
      list.dump(),
      R"([{"name":"a,b","time_us":1234.5,"wheels":4},{"name":"c","time_us":null,"wheels":3}])");
}

TEST(JsonDocument, BeginsWithCommandAndSchema) {
  OrderedJson document = JsonDocument("analyze step", 2);
  document["a"] = 1;
  EXPECT_EQ(JsonText(document),
            "{\n  \"command\": \"analyze step\",\n  \"schema\": 2,\n  \"a\": 1\n}\n");
}

/// JSON has no such numbers, and no such texts.
TEST(JsonDocument, WhatIsNoJsonDoesNotStopIt) {
  const OrderedJson document = {{"a", std::numeric_limits<double>::infinity()}, {"b", "\xff"}};
  const OrderedJson read = OrderedJson::parse(JsonText(document));
  EXPECT_TRUE(read["a"].is_null());
  EXPECT_EQ(read["b"], "\xef\xbf\xbd");
}

TEST(JsonDocument, MissingIsNull) {
  EXPECT_TRUE(NullIfNegative(-1).is_null());
  EXPECT_EQ(NullIfNegative(0), 0);
  EXPECT_TRUE(NullIfEmpty("").is_null());
  EXPECT_TRUE(OrNull(std::optional<int>()).is_null());
  EXPECT_TRUE(NullUnless(false, 3).is_null());
}

}  // namespace
}  // namespace heddle
