// SPDX-License-Identifier: GPL-2.0-only
#include "io/plan/workload_file.h"

#include <utility>

#include "io/plan/plan_file.h"
#include "io/simai/simai_workload.h"

namespace heddle {

Workload ReadWorkload(const std::string& path, const std::vector<std::string>& replaced,
                      const std::string& gpu_type, std::vector<std::string>* notes,
                      bool stages_alike) {
  if (!IsPlanFile(path)) return ReadSimaiWorkload(path);
  PlanRequest request = ReadPlan(path, replaced);
  request.parallel.stages_alike = stages_alike;
  const StepPlan plan = ResolvePlanFile(request, path);
  notes->insert(notes->end(), plan.notes.begin(), plan.notes.end());
  if (std::string note = OtherGpuNote(plan.speed.gpu.name, gpu_type); !note.empty())
    notes->push_back(std::move(note));
  Workload workload = MakeStepWorkload(plan.shape, plan.parallel, plan.speed);
  workload.name = path;
  return workload;
}

}  // namespace heddle
