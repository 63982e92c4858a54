// SPDX-License-Identifier: GPL-2.0-only
/// heddle: a packet-level simulator of AI training fabrics. This file chooses the command and reports errors.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "core/app/commands.h"
#include "core/check.h"
#include "core/communicator.h"
#include "core/options.h"

namespace heddle {
namespace {

struct Command {
  const char* name;
  int (*run)(const std::vector<std::string>&);
  const char* help;
};

const Command kCommands[] = {
    {"run", RunCommand, "simulate workloads or flows on a topology (alone or under mpirun)"},
    {"recover", RecoverCommand, "make a result of what a killed run has left"},
    {"topo", TopoCommand, "generate a topology, or show one"},
    {"trace", TraceCommand, "generate a trace of KV-cache transfers for run --trace"},
    {"partition", PartitionCommand, "report how a topology would be cut for so many ranks"},
    {"collective", CollectiveCommand, "list the messages that a collective operation is made of"},
    {"export", ExportCommand, "write texts of SimAI, nccl-tests and Perfetto from a result"},
    {"analyze", AnalyzeCommand, "say from results which flows collided where, and what a controller avoided"},
    {"options", OptionsCommand, "list all keys of --set and SimAI.conf"},
};

void PrintHelp() {
  std::printf("heddle: how long does it take on this fabric, and which link, queue or hash collision makes it so?\n\n");
  std::printf("Usage: heddle COMMAND [OPTIONS]   (heddle COMMAND --help)\n\nCommands:\n");
  for (const Command& command : kCommands) std::printf("  %-11s %s\n", command.name, command.help);
  std::printf(
      "\nExamples:\n"
      "  heddle topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -o fabric.txt\n"
      "  heddle topo show fabric.txt\n"
      "  heddle trace --arrival server_pair --src-server 0 --dst-server 1 --out flows.csv\n"
      "  heddle collective allreduce --ranks 8 --bytes 16MiB\n"
      "  heddle run -n fabric.txt -w workload.txt -o result.h5\n"
      "  mpirun -n 4 heddle run -n fabric.txt -w workload.txt -o result.h5\n"
      "  heddle run -n fabric.txt --trace flows.csv -o flows.h5\n"
      "  heddle export result.h5 --nccl-tests - --perfetto trace.json\n"
      "  heddle analyze collisions flows.h5\n");
}

int Dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    if (SpeaksForAll()) PrintHelp();
    return static_cast<int>(arguments.empty() ? ExitCode::kUsage : ExitCode::kDone);
  }
  if (arguments[0] == "--version") {
    if (SpeaksForAll()) std::printf("%s\n", VersionText().c_str());
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (arguments[0] == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  throw UsageError("unknown command '" + arguments[0] + "'. Did you mean '" + Nearest(arguments[0], names) +
                   "'? (heddle --help lists the commands)");
}

}  // namespace

std::string VersionText() {
  return std::string("heddle ") + HEDDLE_VERSION + " (commit " + HEDDLE_GIT_COMMIT + ", " + HEDDLE_BUILD_TYPE + ")";
}

bool SpeaksForAll() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::string(rank) == "0";
  }
  return true;
}

}  // namespace heddle

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep what they allocated until the process ends; that is not what leak checks are for.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  using heddle::ExitCode;
  try {
    const int code = heddle::Dispatch(std::vector<std::string>(argv + 1, argv + argc));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw heddle::FileError(std::string("standard output: cannot be written: ") + std::strerror(errno));
    }
    return code;
  } catch (const heddle::Error& error) {
    if (heddle::SpeaksForAll()) std::fprintf(stderr, "heddle: %s\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "heddle: out of memory\n");
    heddle::Communicator::Abort(ExitCode::kTooLittleMemory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: internal error: %s\n", error.what());
    heddle::Communicator::Abort(ExitCode::kInvariantViolated);
  }
}
