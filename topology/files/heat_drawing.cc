// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/heat_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"

namespace heddle {
namespace {

constexpr double kWidth = 1200, kRowHeight = 130, kMargin = 30, kRadius = 4, kMostGap = 60;

struct Point {
  double x = 0, y = 0;
};

/// Rows from the bottom: hosts, NVSwitches, then switches by level.
std::uint32_t RowKey(std::uint8_t level) {
  constexpr std::uint8_t kNvLevel = 255;
  return level == kNvLevel ? 1 : 2U * level;
}

/// Mean place of each node's neighbours in rows below; its own number if it has none.
std::vector<double> PlacesBelow(const HeatDrawing& drawing, const std::vector<double>& place) {
  std::vector<double> sum(drawing.nodes.size(), 0), count(drawing.nodes.size(), 0);
  const auto add = [&](std::uint32_t node, std::uint32_t other) {
    if (RowKey(drawing.nodes[other].level) >= RowKey(drawing.nodes[node].level)) return;
    sum[node] += place[other];
    count[node] += 1;
  };
  for (const HeatDrawing::Cable& cable : drawing.cables) {
    add(cable.from, cable.to);
    add(cable.to, cable.from);
  }
  for (std::size_t node = 0; node < sum.size(); ++node)
    sum[node] = count[node] > 0 ? sum[node] / count[node] : place[node];
  return sum;
}

/// Rows of nodes, each in the order of what they are linked to below.
std::vector<std::vector<std::uint32_t>> Rows(const HeatDrawing& drawing) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_key;
  for (std::uint32_t node = 0; node < drawing.nodes.size(); ++node)
    by_key[RowKey(drawing.nodes[node].level)].push_back(node);
  std::vector<double> place(drawing.nodes.size(), 0);
  std::vector<std::vector<std::uint32_t>> rows;
  for (auto& [key, row] : by_key) {
    const std::vector<double> below = PlacesBelow(drawing, place);
    if (!rows.empty())
      std::stable_sort(row.begin(), row.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return below[a] < below[b]; });
    for (std::size_t i = 0; i < row.size(); ++i)
      place[row[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
    rows.push_back(row);
  }
  return rows;
}

/// Whether switches of one level are linked to each other, as in a dragonfly or a torus: in rows,
/// such cables would lie one on the other.
bool LinksPeers(const HeatDrawing& drawing) {
  return std::any_of(drawing.cables.begin(), drawing.cables.end(), [&](const auto& cable) {
    const std::uint32_t row = RowKey(drawing.nodes[cable.from].level);
    return row >= RowKey(1) && row == RowKey(drawing.nodes[cable.to].level);
  });
}

/// The points of a drawing, and how high it is.
struct Layout {
  std::vector<Point> points;
  double height = 0;
};

/// Hosts on a circle, switches within it, a circle for each level.
Layout OnCircles(const HeatDrawing& drawing, const std::vector<std::vector<std::uint32_t>>& rows) {
  constexpr double kOuter = 400, kShrink = 0.82, kTurn = 6.283185307179586;
  Layout layout{std::vector<Point>(drawing.nodes.size()), 2 * (kMargin + kOuter)};
  double radius = kOuter;
  for (const std::vector<std::uint32_t>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double angle = kTurn * (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
      layout.points[row[i]] = {kWidth / 2 + radius * std::sin(angle),
                               kMargin + kOuter - radius * std::cos(angle)};
    }
    radius *= kShrink;
  }
  return layout;
}

/// Hosts at the bottom, each level of switches above the one before.
Layout InRows(const HeatDrawing& drawing, const std::vector<std::vector<std::uint32_t>>& rows) {
  std::vector<Point> points(drawing.nodes.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto count = static_cast<double>(rows[row].size());
    const double gap = std::min(kMostGap * 4, (kWidth - 2 * kMargin) / count);
    for (std::size_t i = 0; i < rows[row].size(); ++i)
      points[rows[row][i]] = {kWidth / 2 + (static_cast<double>(i) + 0.5 - count / 2) * gap,
                              kMargin + static_cast<double>(rows.size() - 1 - row) * kRowHeight};
  }
  const auto gaps = static_cast<double>(std::max<std::size_t>(rows.size(), 1) - 1);
  return {std::move(points), 2 * kMargin + kRowHeight * gaps};
}

std::string Escape(const std::string& text) { return EscapeHtml(Printable(text)); }

/// In double quotes, for DOT.
std::string DotWord(const std::string& text) {
  std::string word = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') word += '\\';
    if (static_cast<unsigned char>(c) >= ' ') word += c;
  }
  return word + '"';
}

/// Cables by their heat, the coolest first: hot ones lie on top.
std::vector<std::uint32_t> CoolestFirst(const HeatDrawing& drawing) {
  std::vector<std::uint32_t> order(drawing.cables.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return drawing.cables[a].share < drawing.cables[b].share;
  });
  return order;
}

/// A line beside the straight one, to the right of its direction.
std::string Line(const HeatDrawing::Cable& cable, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length = std::max(1.0, std::sqrt(dx * dx + dy * dy));
  constexpr double kBeside = 1.3;
  const double x = -dy / length * kBeside, y = dx / length * kBeside;
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:.1f}\"><title>{}</title></line>\n",
      a.x + x, a.y + y, b.x + x, b.y + y, HeatColour(cable.share), 0.6 + 1.8 * cable.share,
      Escape(cable.label));
}

}  // namespace

std::vector<double> HeatOfUse(const std::vector<CableUse>& cables) {
  std::vector<double> heat;
  double most = 0;
  for (const CableUse& cable : cables) {
    const double load = cable.rate > 0 ? cable.messages / cable.rate : cable.messages;
    heat.push_back(cable.most_at_once > 1 ? load : 0);
    most = std::max(most, heat.back());
  }
  for (double& value : heat) value = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
  return heat;
}

std::string HeatColour(double share) {
  // Hue 0.4 to 0 with saturation and value 0.9, the colours of ORCS.
  constexpr double kGreen = 0.4, kFull = 0.9;
  const double hue = kGreen * (1 - std::clamp(share, 0.0, 1.0)) * 6;
  const double low = kFull * (1 - kFull);
  const double part = hue - std::floor(hue);
  const double falling = kFull * (1 - kFull * part), rising = kFull * (1 - kFull * (1 - part));
  double red = kFull, green = rising, blue = low;
  if (hue >= 2) {
    red = low, green = kFull, blue = rising;
  } else if (hue >= 1) {
    red = falling, green = kFull, blue = low;
  }
  const auto byte = [](double value) { return static_cast<int>(std::lround(255 * value)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(red), byte(green), byte(blue));
}

std::string HeatSvg(const HeatDrawing& drawing) {
  const auto rows = Rows(drawing);
  const auto [points, height] =
      LinksPeers(drawing) ? OnCircles(drawing, rows) : InRows(drawing, rows);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"load of the network's cables\">\n",
      kWidth, height);
  for (const std::uint32_t i : CoolestFirst(drawing)) {
    const HeatDrawing::Cable& cable = drawing.cables[i];
    svg += Line(cable, points[cable.from], points[cable.to]);
  }
  for (std::size_t node = 0; node < points.size(); ++node) {
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}</title></circle>\n",
        points[node].x, points[node].y, kRadius, drawing.nodes[node].level == 0 ? "#777" : "#333",
        Escape(drawing.nodes[node].name));
  }
  return svg + "</svg>\n";
}

std::string HeatDot(const HeatDrawing& drawing) {
  std::string dot = "digraph load {\n  rankdir=BT;\n  node [shape=box];\n";
  for (const auto& row : Rows(drawing)) {
    dot += "  { rank=same;";
    for (const std::uint32_t node : row) dot += ' ' + DotWord(drawing.nodes[node].name) + ';';
    dot += " }\n";
  }
  for (const HeatDrawing::Cable& cable : drawing.cables)
    dot +=
        fmt::format("  {} -> {} [color=\"{}\", tooltip={}, load={:.6f}];\n",
                    DotWord(drawing.nodes[cable.from].name), DotWord(drawing.nodes[cable.to].name),
                    HeatColour(cable.share), DotWord(cable.label), cable.share);
  return dot + "}\n";
}

}  // namespace heddle
