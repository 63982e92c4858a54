// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine.h"

#include <ns3/global-value.h>
#include <ns3/mpi-interface.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <algorithm>

#include "core/domain_simulator.h"
#include "core/ns3_engine.h"
#include "core/plain_scheduler.h"

namespace heddle {
namespace {

void SelectImplementation(const char* type) {
  ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue(type));
}

}  // namespace

EngineKind ParseEngineKind(const std::string& name) {
  if (name == "domain") return EngineKind::kDomain;
  if (name == "ns3") return EngineKind::kNs3;
  if (name == "ns3-null") return EngineKind::kNs3Null;
  throw UsageError("--engine: found '" + Printable(name) + "'. Expected: domain, ns3 or ns3-null");
}

const char* ToText(EngineKind kind) {
  switch (kind) {
    case EngineKind::kDomain:
      return "domain";
    case EngineKind::kNs3:
      return "ns3";
    case EngineKind::kNs3Null:
      return "ns3-null";
  }
  return "?";
}

double NextReportInterval(const EngineSetup& setup, double cut_seconds) {
  const double rarer = std::min(cut_seconds / setup.cut_share, setup.longest_interval);
  return std::max(setup.report_interval, rarer);
}

Ns3Session::Ns3Session(EngineKind kind, int* argc, char*** argv) {
  ns3::Time::SetResolution(ns3::Time::PS);
  SelectImplementation(kind == EngineKind::kNs3Null ? "ns3::NullMessageSimulatorImpl"
                                                    : "ns3::DistributedSimulatorImpl");
  ns3::MpiInterface::Enable(argc, argv);
  if (kind == EngineKind::kDomain) {
    // ns-3 only knows its own two implementations when MPI is enabled; ours is named afterwards.
    SelectImplementation(DomainSimulatorImpl::GetTypeId().GetName().c_str());
    ns3::GlobalValue::Bind("SchedulerType", ns3::TypeIdValue(PlainRecordScheduler::GetTypeId()));
  }
}

Ns3Session::~Ns3Session() {
  ns3::Simulator::Destroy();
  ns3::MpiInterface::Disable();
}

EngineReport RunEngine(EngineKind kind, const Communicator& world, const EngineSetup& setup) {
  if (kind != EngineKind::kDomain) return Ns3Engine(kind, world, setup).Run();
  auto simulator = ns3::DynamicCast<DomainSimulatorImpl>(ns3::Simulator::GetImplementation());
  HEDDLE_INVARIANT(simulator != nullptr, "the session was made for another engine");
  simulator->Attach(world, &setup);
  ns3::Simulator::Run();
  return simulator->report();
}

}  // namespace heddle
