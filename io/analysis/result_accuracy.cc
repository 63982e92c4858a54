// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/result_accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <variant>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Job, operation, group.
using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
/// What a collective is: operation, type of group, ranks, bytes.
using Kind = std::tuple<std::string, std::string, std::uint32_t, std::int64_t>;

struct Timed {
  Kind kind;
  std::int64_t time_ps = 0;
};

/// Returns the collectives that ended.
std::map<Key, Timed> Read(const Table& table) {
  const auto& job = GetColumn<std::uint32_t>(table, "job");
  const auto& operation = GetColumn<std::uint32_t>(table, "operation");
  const auto& group = GetColumn<std::uint32_t>(table, "group");
  const auto& op = GetColumn<std::string>(table, "op");
  const auto& type = GetColumn<std::string>(table, "group_type");
  const auto& ranks = GetColumn<std::uint32_t>(table, "ranks");
  const auto& bytes = GetColumn<std::int64_t>(table, "bytes");
  const auto& time = GetColumn<std::int64_t>(table, "time_ps");
  std::map<Key, Timed> found;
  for (std::size_t i = 0; i < job.size(); ++i) {
    if (time[i] <= 0) continue;
    found[{job[i], operation[i], group[i]}] = {{op[i], type[i], ranks[i], bytes[i]}, time[i]};
  }
  return found;
}

double ErrorOf(double other, double reference) { return reference > 0 ? other / reference - 1 : 0; }

double MeanOf(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The least value that 99 % of all do not exceed.
double P99Of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto place = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(place, 1) - 1];
}

struct Sums {
  double reference = 0, other = 0;
  std::vector<double> errors;  ///< without sign
};

KindAccuracy Summed(const Kind& kind, const Sums& sums) {
  KindAccuracy row;
  std::tie(row.operation, row.group, row.ranks, row.bytes) = kind;
  row.number = sums.errors.size();
  row.reference_ps = sums.reference / static_cast<double>(row.number);
  row.other_ps = sums.other / static_cast<double>(row.number);
  row.error = ErrorOf(sums.other, sums.reference);
  row.mean_error = MeanOf(sums.errors);
  row.p99_error = P99Of(sums.errors);
  return row;
}

std::int64_t SimulatedTime(const ResultReader& result) {
  for (const Attribute& attribute : result.ReadAttributes()) {
    if (attribute.name == "simulated_ps") return std::get<std::int64_t>(attribute.value);
  }
  return 0;
}

}  // namespace

std::vector<KindAccuracy> CompareCollectives(const Table& reference, const Table& other,
                                             double* mean_error, double* p99_error) {
  const std::map<Key, Timed> all = Read(other);
  std::map<Kind, Sums> kinds;
  std::vector<double> errors;
  for (const auto& [key, of] : Read(reference)) {
    const auto found = all.find(key);
    if (found == all.end()) continue;
    if (found->second.kind != of.kind)
      throw UserError(
          "the two results have different collectives. Expected: results of the same workload on "
          "the same GPUs");
    Sums& sums = kinds[of.kind];
    sums.reference += static_cast<double>(of.time_ps);
    sums.other += static_cast<double>(found->second.time_ps);
    errors.push_back(std::abs(
        ErrorOf(static_cast<double>(found->second.time_ps), static_cast<double>(of.time_ps))));
    sums.errors.push_back(errors.back());
  }
  if (errors.empty())
    throw UserError("no collective ended in both results. Expected: a workload with collectives");
  *mean_error = MeanOf(errors);
  *p99_error = P99Of(errors);
  std::vector<KindAccuracy> rows;
  for (const auto& [kind, sums] : kinds) rows.push_back(Summed(kind, sums));
  std::stable_sort(rows.begin(), rows.end(), [](const KindAccuracy& a, const KindAccuracy& b) {
    return a.reference_ps * static_cast<double>(a.number) >
           b.reference_ps * static_cast<double>(b.number);
  });
  return rows;
}

ResultAccuracy AccuracyOf(const ResultReader& reference, const ResultReader& other) {
  ResultAccuracy accuracy;
  accuracy.reference_ps = SimulatedTime(reference);
  accuracy.other_ps = SimulatedTime(other);
  accuracy.error =
      ErrorOf(static_cast<double>(accuracy.other_ps), static_cast<double>(accuracy.reference_ps));
  accuracy.kinds =
      CompareCollectives(reference.ReadTable("collectives"), other.ReadTable("collectives"),
                         &accuracy.mean_error, &accuracy.p99_error);
  return accuracy;
}

}  // namespace heddle
