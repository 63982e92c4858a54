// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analyze serve`: what late requests to a language model waited for.
#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/views/analyze/analyze_subjects.h"
#include "core/options/enum_words.h"
#include "io/served/served_study.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

constexpr int kServedSchema = 1;
constexpr double kPsPerMs = 1e9;

/// Text of one request: its parts in the order of time.
std::string RequestLine(const ServedStudy& study, const ServedRequest& one) {
  std::string parts;
  for (std::size_t part = 0; part < kServedParts; ++part) {
    if (one.parts[part] == 0) continue;
    parts += fmt::format("{}{} {:.3f}", parts.empty() ? "" : " + ",
                         ToText(static_cast<ServedPart>(part)),
                         static_cast<double>(one.parts[part]) / kPsPerMs);
  }
  std::string lost;
  if (one.lost > 0)
    lost = fmt::format("; GPU {} to GPU {} took {:.3f} beyond its ideal time", one.source,
                       one.destination, static_cast<double>(one.lost) / kPsPerMs);
  return fmt::format("request {:<8} {:.3f} ms at {:.3f} s, {} tokens, instance {} ({}): {}{}\n",
                     one.request, static_cast<double>(one.ttft) / kPsPerMs,
                     static_cast<double>(one.arrival) * 1e-12, one.input, one.entry,
                     one.entry < study.pools.size() ? study.pools[one.entry] : "?", parts, lost);
}

/// Instances and their prefix caches; empty if these had nothing.
std::string CachesText(const ServedStudy& study) {
  const bool any = std::any_of(study.caches.begin(), study.caches.end(),
                               [](const ServedCache& one) { return one.cached > 0; });
  if (!any) return "";
  std::string text = fmt::format("{:<16} {:<12} {:>9} {:>14} {:>14} {:>8}\n", "prefix caches",
                                 "pool", "requests", "prompt tokens", "were there", "share");
  for (std::size_t i = 0; i < study.caches.size(); ++i) {
    const ServedCache& one = study.caches[i];
    const double share =
        one.prompts > 0 ? 100 * static_cast<double>(one.cached) / static_cast<double>(one.prompts)
                        : 0;
    text += fmt::format("instance {:<7} {:<12} {:>9} {:>14} {:>14} {:>6.1f} %\n", i, one.pool,
                        one.requests, one.prompts, one.cached, share);
  }
  return text;
}

std::string DescribeServed(const ServedStudy& study, std::size_t shown) {
  std::string text =
      fmt::format("requests         {} of {} finished\n", study.finished.size(), study.requests);
  if (study.finished.empty()) return text;
  const ServedMeans all = MeansOf(study, study.finished.size());
  const ServedMeans slow = MeansOf(study, study.slowest());
  text += fmt::format("{:<16} {:>11} {:>15}\n", "mean [ms]", "all",
                      fmt::format("slowest {}", study.slowest()));
  const auto line = [](const char* name, double one, double other) {
    return fmt::format("{:<16} {:>11.3f} {:>15.3f}\n", name, one / kPsPerMs, other / kPsPerMs);
  };
  for (std::size_t part = 0; part < kServedParts; ++part)
    text += line(ToText(static_cast<ServedPart>(part)), all.parts[part], slow.parts[part]);
  if (all.known > 0) text += line("  beyond ideal", all.lost, slow.lost);
  text += line("first token", all.ttft, slow.ttft);
  for (std::size_t i = 0; i < std::min(shown, study.finished.size()); ++i)
    text += RequestLine(study, study.finished[i]);
  return text + CachesText(study);
}

PrintedColumns<ServedCache> CacheColumns() {
  using One = ServedCache;
  return {{"pool", &One::pool},
          {"requests", &One::requests},
          {"prompt_tokens", &One::prompts},
          {"cached_tokens", &One::cached}};
}

OrderedJson MeansJson(const ServedMeans& means) {
  OrderedJson object = OrderedJson::object();
  const char* keys[] = {"queue_ps", "prefill_ps", "room_ps", "transfer_ps", "first_step_ps"};
  for (std::size_t part = 0; part < kServedParts; ++part) object[keys[part]] = means.parts[part];
  object["first_token_ps"] = means.ttft;
  object["beyond_ideal_ps"] = means.known > 0 ? OrderedJson(means.lost) : OrderedJson(nullptr);
  return object;
}

PrintedColumns<ServedRequest> ServedColumns() {
  using One = ServedRequest;
  const auto part = [](std::size_t number) {
    return [number](const One& one) { return one.parts[number]; };
  };
  return {{"request", &One::request},
          {"arrival_ps", &One::arrival},
          {"input_tokens", &One::input},
          {"entry", &One::entry},
          {"decoder", &One::decoder},
          {"first_token_ps", &One::ttft},
          {"queue_ps", part(0)},
          {"prefill_ps", part(1)},
          {"room_ps", part(2)},
          {"transfer_ps", part(3)},
          {"first_step_ps", part(4)},
          {"beyond_ideal_ps", [](const One& one) { return NullIfNegative(one.lost); }},
          {"longest", [](const One& one) { return ToText(one.longest()); }}};
}

OrderedJson ServedJson(const ServedStudy& study, std::size_t shown) {
  OrderedJson document = JsonDocument("analyze serve", kServedSchema);
  document["result"] = study.file;
  document["requests"] = study.requests;
  document["finished"] = study.finished.size();
  const bool any = !study.finished.empty();
  document["all"] = any ? MeansJson(MeansOf(study, study.finished.size())) : OrderedJson(nullptr);
  document["slowest"] = any ? MeansJson(MeansOf(study, study.slowest())) : OrderedJson(nullptr);
  const std::vector<ServedRequest> late(
      study.finished.begin(),
      study.finished.begin() + static_cast<std::ptrdiff_t>(std::min(shown, study.finished.size())));
  document["late"] = PrintedList(ServedColumns(), late);
  document["caches"] = PrintedList(CacheColumns(), study.caches);
  return document;
}

}  // namespace

int AnalyzeServe(const std::vector<std::string>& arguments) {
  std::string result;
  std::size_t shown = 8;
  bool json = false;
  CLI::App app(
      "What the first tokens of requests to a language model waited for: all of them, the slowest "
      "hundredth, and the latest one by one.",
      "analyze serve");
  app.add_option("RESULT", result, "result file (HDF5) of heddle serve")
      ->required()
      ->type_name("FILE");
  app.add_option("--top", shown, "describe so many late requests")
      ->check(WholeNumber(0, 1'000'000))
      ->capture_default_str();
  AddJsonFlag(&app, &json);
  app.footer(
      Examples({"heddle analyze serve result.h5", "heddle analyze serve result.h5 --top 20"}));
  if (!ParseArguments(&app, arguments)) return 0;
  const ServedStudy study = StudyServed(result);
  if (json) {
    PrintJson(ServedJson(study, shown));
  } else {
    PrintText(DescribeServed(study, shown));
  }
  return 0;
}

}  // namespace heddle
