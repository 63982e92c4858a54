// SPDX-License-Identifier: GPL-2.0-only
/// `heddle options`: every key of --set and SimAI.conf, from the records that the models declare.
#include <fmt/format.h>

#include <string>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/setup/all_options.h"
#include "core/options/options.h"
#include "io/table/json_document.h"

namespace heddle {

namespace {

constexpr int kOptionsSchema = 1;

PrintedColumns<Option> OptionColumns() {
  return {{"key", &Option::key},
          {"simai_key", [](const Option& o) { return NullIfEmpty(o.simai_key); }},
          {"help", &Option::help},
          {"unit", [](const Option& o) { return NullIfEmpty(o.unit); }},
          {"default", &Option::default_text},
          {"range", &Option::range},
          {"choices", &Option::choices},
          {"source", &Option::source},
          {"variables", &Option::variables}};
}

PrintedColumns<UnusedKey> UnusedColumns() {
  return {{"simai_key", &UnusedKey::simai_key}, {"reason", &UnusedKey::reason}};
}

OrderedJson OptionsJson(const OptionSet& options) {
  OrderedJson document = JsonDocument("options", kOptionsSchema);
  document["options"] = PrintedList(OptionColumns(), options.options());
  document["unused_keys"] = PrintedList(UnusedColumns(), options.unused_keys());
  return document;
}

std::string OptionsPage(const OptionSet& options) {
  std::string text =
      "# Options\n\nWritten by `heddle options --markdown`. Keys of `--set KEY=VALUE`; the SimAI "
      "key "
      "works there and in SimAI.conf.\n\n| key | SimAI's key | what | unit | default | range | "
      "source "
      "of the default |\n|---|---|---|---|---|---|---|\n";
  for (const Option& o : options.options())
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", o.key,
                        o.simai_key.empty() ? "-" : o.simai_key, o.help, o.unit, o.default_text,
                        o.range, o.source);
  text += "\n## Keys of SimAI that are read and not used\n\n| key | why |\n|---|---|\n";
  for (const UnusedKey& key : options.unused_keys())
    text += fmt::format("| {} | {} |\n", key.simai_key, key.reason);
  return text;
}

std::string OptionsText(const OptionSet& options) {
  std::string text;
  for (const Option& o : options.options())
    text += fmt::format("{} ({})\n    {} [{}], default {}, {}; {}\n", o.key,
                        o.simai_key.empty() ? "-" : o.simai_key, o.help, o.unit, o.default_text,
                        o.range, o.source);
  text += "\nKeys of SimAI that are read and not used:\n";
  for (const UnusedKey& key : options.unused_keys())
    text += fmt::format("{:<28} {}\n", key.simai_key, key.reason);
  return text;
}

}  // namespace

int OptionsCommand(const std::vector<std::string>& arguments) {
  bool markdown = false, json = false;
  CLI::App app("List all keys of --set and SimAI.conf.", "options");
  app.add_flag("--markdown", markdown, "as the page docs/options.md");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle options | grep -i window", "heddle explain CC_MODE",
                       "heddle options --markdown > options.md"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonWithout(json, {{"--markdown", markdown}});
  const AllOptions all;
  if (json) {
    PrintJson(OptionsJson(all.options));
    return 0;
  }
  WriteText("-", markdown ? OptionsPage(all.options) : OptionsText(all.options));
  return 0;
}

}  // namespace heddle
