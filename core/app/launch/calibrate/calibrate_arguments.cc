// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/calibrate/calibrate_arguments.h"

#include "core/app/base/cli/output_text.h"
#include "core/base/check.h"
#include "core/base/ids.h"

namespace heddle {

void AddArguments(CLI::App* app, CalibrateArguments* given) {
  app->add_option("MEASURED", given->measured,
                  "results of heddle run (HDF5), or what nccl-tests print")
      ->required()
      ->type_name("FILE");
  app->add_option("-n,--topology", given->topology, "fabric that nccl-tests ran on")
      ->type_name("FILE");
  app->add_option("--operation", given->operation, "of a text that does not name its test")
      ->type_name("allreduce|allgather|reducescatter|alltoall|broadcast|reduce|sendrecv");
  app->add_option("--ranks", given->ranks, "GPUs of a text that does not list its ranks")
      ->check(WholeNumber(2, kMaxNodes));
  app->add_option(
         "--times", given->times,
         "which times of a text count: both (each size is the mean of both), out-of-place, "
         "in-place")
      ->check(CLI::IsMember({"both", "out-of-place", "in-place"}))
      ->capture_default_str();
  app->add_flag("--in-place", given->in_place, "the same as --times in-place");
  app->add_option("--set", given->settings,
                  "any key of 'heddle options', such as algorithm.allreduce=tree: what nccl-tests "
                  "ran with; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app->add_option("-o,--output", given->output, "the calibration to write")->type_name("FILE");
  app->add_flag("--force", given->force, "replace an existing file");
  AddJsonFlag(app, &given->json);
  app->footer(Examples({"heddle calibrate packets.h5 -o fabric.calibration",
                        "heddle calibrate all_reduce_perf.txt all_gather_perf.txt -n fabric.txt -o "
                        "h100.calibration",
                        "heddle run -n fabric.txt -w step.txt --backend analytical --calibration "
                        "h100.calibration"}));
}

void CheckArguments(const CalibrateArguments& given, bool is_result) {
  if (!is_result) return;
  const char* flag = !given.topology.empty()    ? "-n"
                     : !given.operation.empty() ? "--operation"
                     : given.ranks > 0          ? "--ranks"
                     : given.in_place           ? "--in-place"
                     : given.times != "both"    ? "--times"
                     : !given.settings.empty()  ? "--set"
                                                : nullptr;
  if (flag != nullptr)
    throw UsageError(std::string(flag) + ": " + Printable(given.measured.front()) +
                     " is a result, which says it itself. Expected: no " + flag);
}

}  // namespace heddle
