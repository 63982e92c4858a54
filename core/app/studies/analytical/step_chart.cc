// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/step_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

struct Part {
  const char* english;
  const char* japanese;
  double SimaiStep::*time;
  const char* colour;
};
constexpr Part kParts[] = {
    {"compute", "計算", &SimaiStep::compute, "#7a5195"},
    {"pipeline bubble", "パイプラインバブル", &SimaiStep::bubble, "#ffa600"},
    {"exposed DP", "露出した DP 通信", &SimaiStep::data, "#d45087"},
    {"exposed DP_EP", "露出した DP_EP 通信", &SimaiStep::data_expert, "#2f7ed8"},
    {"exposed TP", "露出した TP 通信", &SimaiStep::tensor, "#e9b949"},
    {"exposed EP", "露出した EP 通信", &SimaiStep::expert, "#3fa79d"},
    {"exposed PP", "露出した PP 通信", &SimaiStep::pipeline, "#ef5675"},
};
constexpr double kBarWidth = 480;
constexpr int kRowHeight = 26;

std::string EscapedHtml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string BarText(const Part& part, const SimaiStep& step, bool japanese, int row) {
  const double time = step.*part.time;
  const double share = time / step.total;
  const double width = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * kBarWidth : 0;
  const int y = row * kRowHeight;
  return fmt::format(
      "<text x=\"0\" y=\"{}\">{}</text><rect x=\"170\" y=\"{}\" width=\"{:.1f}\" height=\"18\" "
      "fill=\"{}\"/><text x=\"{:.0f}\" y=\"{}\">{:.3f} us, {:.2f}%</text>\n",
      y + 14, japanese ? part.japanese : part.english, y, width, part.colour, 178 + width, y + 14,
      time, share * 100);
}

}  // namespace

std::string StepChart(const std::string& name, const SimaiStep& step, const std::string& language) {
  const bool japanese = language == "ja";
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title></head>\n"
      "<body style=\"font: 14px sans-serif\">\n<h2>{}</h2>\n<p>{}: {:.3f} us</p>\n"
      "<svg width=\"900\" height=\"{}\">\n",
      japanese ? "ja" : "en", EscapedHtml(name), EscapedHtml(name),
      japanese ? "合計時間" : "total time", step.total,
      kRowHeight * static_cast<int>(std::size(kParts)));
  int row = 0;
  for (const Part& part : kParts) text += BarText(part, step, japanese, row++);
  return text + "</svg>\n</body></html>\n";
}

}  // namespace heddle
