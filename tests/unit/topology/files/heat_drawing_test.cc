// SPDX-License-Identifier: GPL-2.0-only
/// Drawings of loads: colours, places, names that are no markup.
#include "topology/files/heat_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace heddle {
namespace {

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

HeatDrawing Small() {
  HeatDrawing drawing;
  drawing.nodes = {{"H0", 0}, {"H<1>", 0}, {"s\"x", 1}, {"nv", 255}};
  drawing.cables = {{0, 2, 0, "H0 -> s"}, {2, 1, 1, "s -> <script>"}, {0, 3, 0.5, "nv"}};
  return drawing;
}

TEST(HeatDrawing, WhatNobodySharesIsCold) {
  // A host's cable carries more, but one message at a time.
  const std::vector<double> heat =
      HeatOfUse({{100, 400, 1}, {40, 400, 3}, {10, 200, 2}, {0, 0, 0}});
  EXPECT_EQ(heat, (std::vector<double>{0, 1, 0.5, 0}));
  EXPECT_EQ(HeatOfUse({{5, 0, 1}}), std::vector<double>{0});
}

/// Heights of the points of a drawing, without repeats.
std::set<std::string> Heights(const std::string& svg) {
  std::set<std::string> heights;
  for (std::size_t at = svg.find(" cy=\""); at != std::string::npos;
       at = svg.find(" cy=\"", at + 1))
    heights.insert(svg.substr(at, svg.find('"', at + 5) - at));
  return heights;
}

TEST(HeatDrawing, SwitchesLinkedToEachOtherLieOnACircle) {
  HeatDrawing drawing;
  for (const char* name : {"a", "b", "c"}) drawing.nodes.push_back({name, 0});
  for (const char* name : {"r", "s", "t"}) drawing.nodes.push_back({name, 1});
  for (std::uint32_t i = 0; i < 3; ++i) drawing.cables.push_back({i, 3 + i, 0, ""});
  EXPECT_EQ(Heights(HeatSvg(drawing)).size(), 2u) << "hosts, and switches above";
  drawing.cables.push_back({3, 4, 1, "r -> s"});
  EXPECT_EQ(Heights(HeatSvg(drawing)).size(), 4u) << "two at the top of each circle, one below";
}

TEST(HeatDrawing, ColoursGoFromGreenToRed) {
  // Hue 0.4 and 0 with saturation and value 0.9 in red, green and blue.
  EXPECT_EQ(HeatColour(0), "#17e66a");
  EXPECT_EQ(HeatColour(1), "#e61717");
  EXPECT_EQ(HeatColour(2), HeatColour(1));
  EXPECT_EQ(HeatColour(0.5), "#bce617") << "hue 0.2";
}

TEST(HeatDrawing, EveryNodeAndCableIsDrawnOnceAndNamesAreNoMarkup) {
  const std::string svg = HeatSvg(Small());
  EXPECT_EQ(Count(svg, "<line "), 3u);
  EXPECT_EQ(Count(svg, "<circle "), 4u);
  EXPECT_EQ(Count(svg, "<script"), 0u);
  EXPECT_EQ(Count(svg, "H&lt;1&gt;"), 1u);
  EXPECT_LT(svg.find("H0 -&gt; s<"), svg.find("s -&gt; &lt;script&gt;")) << "hot ones on top";
  const std::string dot = HeatDot(Small());
  EXPECT_EQ(Count(dot, " -> \""), 3u);
  EXPECT_EQ(Count(dot, "\"s\\\"x\""), 3u) << "its row and its two cables";
}

TEST(HeatDrawing, ThereMayBeNothingToDraw) {
  EXPECT_EQ(Count(HeatSvg({}), "</svg>"), 1u);
  EXPECT_EQ(Count(HeatDot({}), "->"), 0u);
}

}  // namespace
}  // namespace heddle
