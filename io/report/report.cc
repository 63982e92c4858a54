// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/report.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/report/report_headline.h"
#include "io/report/report_parts.h"
#include "io/report/run_names.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

std::string TitleOf(const ReportRequest& request) {
  if (!request.title.empty()) return request.title;
  constexpr std::size_t kMostNamed = 4;
  const std::vector<std::string> names = RunNames(request.results);
  if (names.size() > kMostNamed) return fmt::format("{} runs", names.size());
  std::string title;
  for (const std::string& name : names) title += (title.empty() ? "" : ", ") + name;
  return title;
}

Json DataOf(const std::string& path, const std::string& name, const ReportRequest& request,
            const ReportLimits& limits, std::vector<HeadlineRun>* told) {
  const ReportSource source(path);
  const ReportedFlows flows = ReadReportedFlows(source);
  const Json failures = ReportFailures(source, limits);
  const std::vector<ReportedStep> steps = StepsOf(source, kMostReportedSteps);
  const TracedLinks traced = TraceLinks(source, limits);
  told->push_back(ReadHeadlineRun(source, name, steps));
  return {{"name", name},
          {"about", ReportAbout(source, request.defaults)},
          {"warnings", ReportWarnings(source, flows, failures)},
          {"figures", ReportFigures(source, flows, steps)},
          {"step", ReportStep(steps)},
          {"completion", ReportCompletion(flows, limits)},
          {"sizes", ReportSizes(flows)},
          {"slow_flows", ReportSlowFlows(source, flows)},
          {"fabric", ReportFabric(source, traced, limits)},
          {"tiers", ReportTiers(source)},
          {"tier_load", ReportTierLoad(source, limits)},
          {"link_load", ReportLinkLoad(source, limits)},
          {"hot_links", ReportHotLinks(source, traced, limits)},
          {"drops", ReportDrops(source, limits)},
          {"failures", failures},
          {"queues", ReportQueues(source, limits)},
          {"pauses", ReportPauses(source, limits)},
          {"pause_causes", ReportPauseCauses(source, limits)},
          {"collectives", ReportCollectives(source, limits)},
          {"layers", ReportLayers(source, limits)},
          {"phase_delays", ReportPhaseDelays(source, limits)},
          {"timeline", ReportTimeline(source, limits)},
          {"jobs", ReportJobs(source, limits)},
          {"controller", ReportController(source, limits)},
          {"cast", ReportCast(source, limits)},
          {"ranks", ReportRanks(source, limits)},
          {"progress", ReportProgress(source, limits)}};
}

/// What all results are of. Throws UserError if they are of different things.
ResultContent CommonContent(const std::vector<std::string>& results) {
  const ResultContent first = ResultReader::ContentOf(results.front());
  for (const std::string& result : results) {
    if (ResultReader::ContentOf(result) != first)
      throw UserError(fmt::format(
          "{} and {}: one is of a run, the other of static congestion. Expected: results of one "
          "kind on a page",
          results.front(), result));
  }
  return first;
}

/// `page` with each mark {{NAME}} replaced, once, by its value; values are not searched for marks.
std::string FillIn(std::string_view page, const std::map<std::string, std::string_view>& values) {
  std::string text;
  while (!page.empty()) {
    const std::size_t begin = page.find("{{");
    const std::size_t end = begin == std::string_view::npos ? begin : page.find("}}", begin);
    if (end == std::string_view::npos) break;
    text += page.substr(0, begin);
    const auto value = values.find(std::string(page.substr(begin + 2, end - begin - 2)));
    HEDDLE_INVARIANT(value != values.end(), "the report's page has an unknown mark");
    text += value->second;
    page.remove_prefix(end + 2);
  }
  text += page;
  return text;
}

Json MeasuredOf(const ReportRequest& request) {
  if (!request.measured) return nullptr;
  const MeasuredCurve& curve = *request.measured;
  return {{"name", curve.name}, {"bytes", curve.bytes}, {"busbw", curve.bus_bandwidth}};
}

}  // namespace

std::string ReportData(const ReportRequest& request) {
  const ReportLimits limits = ReportLimits::ForRuns(request.results.size());
  const std::vector<std::string> names = RunNames(request.results);
  const ResultContent content = CommonContent(request.results);
  const bool is_run = content == ResultContent::kRun;
  const bool has_details = !request.sweep || names.size() <= kMostReportedRuns;
  Json runs = Json::array(), sweep;
  std::vector<HeadlineRun> told;
  for (std::size_t i = 0; has_details && i < names.size(); ++i)
    runs.push_back(is_run ? DataOf(request.results[i], names[i], request, limits, &told)
                          : ReportStaticCongestion(request.results[i], names[i], limits));
  if (request.sweep) sweep = ReportSweep(*request.sweep, request.results, names);
  return ScriptText(
      {{"title", TitleOf(request)},
       {"version", request.version},
       {"content", !has_details ? "sweep"
                   : is_run     ? "run"
                                : "congestion"},
       {"headline", request.sweep || request.by_size ? "" : HeadlineOf(std::move(told))},
       {"by_size", request.by_size},
       {"measured", MeasuredOf(request)},
       {"findings", request.findings},
       {"runs", std::move(runs)},
       {"sweep", std::move(sweep)}});
}

std::string MakeReport(const ReportRequest& request, const ReportAssets& assets) {
  HEDDLE_EXPECT(!assets.chart_script.empty());
  const std::string title = EscapeHtml(TitleOf(request)), data = ReportData(request),
                    licence = EscapeHtml(assets.chart_licence);
  return FillIn(assets.page, {{"title", title},
                              {"style", assets.style},
                              {"chart style", assets.chart_style},
                              {"chart script", assets.chart_script},
                              {"chart licence", licence},
                              {"script", assets.script},
                              {"data", data}});
}

}  // namespace heddle
