// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_knee.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/app/launch/sweep_command/sweep_axes.h"
#include "core/app/launch/sweep_table/run_keys.h"

namespace heddle {
namespace {

/// The axis of rates; none: nothing of it varies.
std::optional<std::size_t> RateAxis(const SweepTable& table) {
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const std::string& key = table.axes[axis].key;
    if ((key == "serve.rate" || key == "serve.rate_scale") && table.axes[axis].values.size() > 1)
      return axis;
  }
  return std::nullopt;
}

double RateOf(const SweepRun& run, std::size_t axis) {
  return std::strtod(run.values[axis].c_str(), nullptr);
}

/// What distinguishes curves, as people read it: what varies beside the rates.
std::string CurveName(const SweepTable& table, const std::vector<SweepRun>& runs, std::size_t row,
                      std::size_t rate) {
  std::string name;
  for (const std::size_t axis : VaryingAxes(table, runs)) {
    const int zip = table.axes[axis].zip;
    if (axis == rate || (zip > 0 && zip == table.axes[rate].zip)) continue;
    const std::string& key = table.axes[axis].key;
    const std::string what = NamesFile(key) ? "" : key.substr(key.rfind('.') + 1) + " ";
    name += (name.empty() ? "" : ", ") + what + runs[row].shown[axis];
  }
  return name;
}

}  // namespace

std::vector<SweepKnee> FindKnees(const SweepTable& table, const std::vector<SweepRun>& runs,
                                 const std::vector<SweepResult>& results) {
  const std::optional<std::size_t> rate = RateAxis(table);
  if (!rate) return {};
  std::map<std::vector<std::string>, std::size_t> curves;  // by the values beside the rate
  std::vector<SweepKnee> knees;
  for (std::size_t row = 0; row < runs.size(); ++row) {
    if (!results[row].figures.kept) continue;
    std::vector<std::string> others;
    for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
      const int zip = table.axes[axis].zip;
      const bool varies_so = axis == *rate || (zip > 0 && zip == table.axes[*rate].zip);
      others.push_back(varies_so ? "" : runs[row].values[axis]);
    }
    const auto [found, is_new] = curves.emplace(others, knees.size());
    if (is_new) knees.emplace_back();
    knees[found->second].rows.push_back(row);
  }
  for (SweepKnee& one : knees) {
    std::stable_sort(one.rows.begin(), one.rows.end(), [&](std::size_t a, std::size_t b) {
      return RateOf(runs[a], *rate) < RateOf(runs[b], *rate);
    });
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      if (*results[one.rows[i]].figures.kept < kKneeShare) break;
      one.knee = i;
    }
  }
  knees.erase(std::remove_if(knees.begin(), knees.end(),
                             [](const SweepKnee& one) { return one.rows.size() < 2; }),
              knees.end());
  return knees;
}

std::vector<std::optional<bool>> MarkKnees(std::size_t runs, const std::vector<SweepKnee>& knees) {
  std::vector<std::optional<bool>> marks(runs);
  for (const SweepKnee& one : knees) {
    for (std::size_t i = 0; i < one.rows.size(); ++i) marks[one.rows[i]] = one.knee == i;
  }
  return marks;
}

std::vector<std::string> KneeSentences(const SweepTable& table, const std::vector<SweepRun>& runs,
                                       const std::vector<SweepResult>& results) {
  const std::optional<std::size_t> rate = RateAxis(table);
  std::vector<std::string> sentences;
  for (const SweepKnee& one : FindKnees(table, runs, results)) {
    const std::string name = CurveName(table, runs, one.rows[0], *rate);
    const std::string key = table.axes[*rate].key.substr(std::string("serve.").size());
    const auto at = [&](std::size_t place) {
      const std::size_t row = one.rows[place];
      return fmt::format("at {} {} {:.1f} % of requests kept the level", key,
                         runs[row].shown[*rate], 100 * *results[row].figures.kept);
    };
    const std::size_t next = one.knee ? *one.knee + 1 : 0;
    std::string text = "knee" + (name.empty() ? "" : " of " + name) + ": ";
    if (one.knee) {
      text += fmt::format("{} {}; {}", key, runs[one.rows[*one.knee]].shown[*rate], at(*one.knee));
    } else {
      text += fmt::format("below {} {}", key, runs[one.rows[0]].shown[*rate]);
    }
    if (next < one.rows.size()) {
      text += "; " + at(next);
    } else {
      text += "; no higher one was tried";
    }
    sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace heddle
