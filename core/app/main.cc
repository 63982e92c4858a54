// SPDX-License-Identifier: GPL-2.0-only
/// heddle: a packet-level simulator of AI training fabrics. This file chooses the command and
/// reports errors.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "core/app/base/cli/build_info.h"
#include "core/app/base/cli/command_table.h"
#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/terminal.h"
#include "core/base/check.h"
#include "core/mpi/communicator.h"
#include "core/options/nearest_name.h"
#include "io/input/file_kind.h"

namespace heddle {
namespace {

std::string Help() {
  std::string text =
      "heddle: how long does it take on this fabric, and which link, queue or hash collision makes "
      "it so?\n\n"
      "Usage: heddle COMMAND [OPTIONS]   (heddle help COMMAND)\n       heddle version\n";
  const std::pair<Section, const char*> sections[] = {{Section::kSetUp, "Set up"},
                                                      {Section::kSimulate, "Simulate"},
                                                      {Section::kResults, "Results"},
                                                      {Section::kReference, "Reference"}};
  for (const auto& [section, name] : sections) {
    text += fmt::format("\n{}:\n", name);
    for (const Command& command : Commands()) {
      if (command.section == section)
        text += fmt::format("  {:<11} {}\n", command.name, command.help);
    }
  }
  return text +
         "\nExamples:\n"
         "  heddle demo\n"
         "  heddle topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -o fabric.txt\n"
         "  heddle topo show fabric.txt\n"
         "  heddle trace --arrival server_pair --src-server 0 --dst-server 1 --out flows.csv\n"
         "  heddle collective allreduce --ranks 8 --bytes 16MiB\n"
         "  heddle run -n fabric.txt -w workload.txt -o result.h5\n"
         "  mpirun -n 4 heddle run -n fabric.txt -w workload.txt -o result.h5\n"
         "  heddle run -n fabric.txt --trace flows.csv -o flows.h5\n"
         "  heddle export result.h5 --nccl-tests - --perfetto trace.json\n"
         "  heddle analyze collisions flows.h5\n"
         "  heddle explain CC_MODE\n";
}

/// Under a launcher only the first rank executes a command; the exceptions are commands that use
/// all ranks: Command::on_all_ranks, and to measure the network between ranks. A command on results
/// says if a file is of another kind.
int Execute(const Command& command, const std::vector<std::string>& arguments) {
  const bool measures = command.run == PartitionCommand &&
                        std::count(arguments.begin(), arguments.end(), "--measure") > 0;
  if (!SpeaksForAll() && !command.on_all_ranks && !measures) return 0;
  if (command.section != Section::kResults) return command.run(arguments);
  try {
    return command.run(arguments);
  } catch (const UserError& error) {
    // Messages about a file begin with its name.
    const std::string message = error.what();
    for (const std::string& word : arguments) {
      if (!word.empty() && message.rfind(word + ":", 0) == 0)
        throw UserError(message + LooksLike(word, FileKind::kResult));
    }
    throw;
  }
}

bool IsAnyOf(const std::string& word, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

int Dispatch(std::vector<std::string> arguments) {
  if (arguments.size() > 1 && arguments[0] == "help") {  // help run: run --help
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  if (arguments.empty() || IsAnyOf(arguments[0], {"--help", "-h", "help"})) {
    PrintHelp(Help());
    return static_cast<int>(arguments.empty() ? ExitCode::kUsage : ExitCode::kDone);
  }
  if (IsAnyOf(arguments[0], {"--version", "-v", "-V", "version"})) {
    if (SpeaksForAll()) std::fputs(DescribeBuild().c_str(), stdout);
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : Commands()) {
    if (arguments[0] == command.name)
      return Execute(command, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  throw UsageError("unknown command '" + Printable(arguments[0]) + "'." +
                   DidYouMean(arguments[0], names) + " (heddle --help lists the commands)");
}

}  // namespace
}  // namespace heddle

#if defined(__SANITIZE_ADDRESS__)
/// MPI and ns-3 keep allocations until the process ends; leak checks would report those.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

int main(int argc, char** argv) {
  using heddle::ExitCode;
  // If the reader of a pipe closes it (head, grep -q), this process ends silently, even if its
  // parent ignored the signal.
  std::signal(SIGPIPE, SIG_DFL);
  try {
    const int code = heddle::Dispatch(std::vector<std::string>(argv + 1, argv + argc));
    // A command that failed has said why.
    const bool flushed = std::fflush(stdout) == 0;
    if (code == 0 && !flushed)
      throw heddle::FileError(std::string("standard output: cannot be written: ") +
                              std::strerror(errno));
    if (code == 0 && std::ferror(stdout) != 0)
      throw heddle::FileError("standard output: cannot be written");
    return code;
  } catch (const heddle::Error& error) {
    if (heddle::SpeaksForAll()) heddle::PrintError(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    heddle::PrintError("out of memory");
    heddle::Communicator::Abort(ExitCode::kTooLittleMemory);
  } catch (const std::exception& error) {
    heddle::PrintError(std::string("internal error: ") + error.what());
    heddle::Communicator::Abort(ExitCode::kInvariantViolated);
  }
}
