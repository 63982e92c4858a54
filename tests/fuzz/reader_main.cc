// SPDX-License-Identifier: GPL-2.0-only
/// main() of the fuzzers of readers: deterministic rounds, single inputs, or libFuzzer.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/reader_fuzz.h"

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_FUZZ_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_FUZZ_SANITIZED 1
#endif
#endif

namespace heddle {
namespace {

constexpr unsigned kMostSeconds = 20;  ///< for one input
/// Limit above the program's memory at its start [byte].
constexpr rlim_t kMostMemory = rlim_t{512} << 20;

std::string input;  ///< the current input
std::string find_path;

const ReaderFuzz& Subject() {
  static const ReaderFuzz reader = MakeReaderFuzz();
  return reader;
}

bool Check(std::string_view bytes) {
  input.assign(bytes);
  return Subject().check(input);
}

void WriteSeeds(const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < Subject().seeds.size(); ++i)
    PutBytes(fmt::format("{}/seed{:03}", folder, i), Subject().seeds[i]);
  std::string words;  // libFuzzer's dictionary
  for (const std::string& word : Subject().words) {
    if (word.empty()) continue;
    words += '"';
    for (const char c : word) words += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    words += "\"\n";
  }
  PutBytes(folder + ".dict", words);
}

}  // namespace

void Complain(const std::string& what) {
  std::string shown;
  for (const char c : input.substr(0, 2000)) {
    shown += (c >= ' ' && c <= '~' && c != '\\') || c == '\n' || c == '\t'
                 ? std::string(1, c)
                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  std::fprintf(stderr, "%s_fuzz: %s\n---- the input, of %zu bytes:\n%s\n----\n",
               Subject().name.c_str(), what.c_str(), input.size(), shown.c_str());
  std::abort();
}

}  // namespace heddle

#ifdef HEDDLE_LIBFUZZER

/// MPI and ns-3 keep allocations until the process ends; leak checks would report them.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  if (const char* folder = std::getenv("HEDDLE_FUZZ_SEEDS")) {
    heddle::WriteSeeds(folder);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#else

namespace heddle {
namespace {

/// Saves the input of a round that ends the program.
extern "C" void KeepInput(int number) {
  const int file = creat(find_path.c_str(), 0666);
  const char text[] = "the input is in ./find-READER\n";
  if (file >= 0 && write(file, input.data(), input.size()) >= 0)
    static_cast<void>(!write(2, text, sizeof text - 1));
  signal(number, SIG_DFL);
  raise(number);
}

/// Signals need their own stack: after a stack overflow the other one is full.
void HeedSignals() {
  static std::vector<char> stack(64 << 10);
  const stack_t other = {stack.data(), 0, stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = &KeepInput;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM})
    sigaction(number, &action, nullptr);
}

void LimitMemory() {
#ifndef HEDDLE_FUZZ_SANITIZED  // sanitizers' shadow memory takes terabytes of address space
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kMostMemory;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

/// Reads the files of a directory and its subdirectories, by name.
void ReadCorpus(const std::string& folder, std::vector<std::string>* corpus) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) corpus->push_back(BytesOf(path.string()));
}

bool CheckInTime(std::string_view bytes) {
  alarm(kMostSeconds);
  const bool accepted = Check(bytes);
  alarm(0);
  return accepted;
}

int Rounds(std::uint64_t rounds, std::uint64_t seed, std::vector<std::string> corpus) {
  const ReaderFuzz& reader = Subject();
  std::size_t sound = 0, accepted = 0;
  for (const std::string& text : corpus) sound += CheckInTime(text) ? 1 : 0;
  if (sound == 0) {
    std::fprintf(stderr, "%s_fuzz: none of %zu inputs is accepted: nothing to start from\n",
                 reader.name.c_str(), corpus.size());
    return 1;
  }
  const std::size_t inputs = corpus.size();
  Mutator mutator(seed, std::move(corpus), reader.words);
  for (std::uint64_t round = 0; round < rounds; ++round)
    accepted += CheckInTime(reader.make(&mutator)) ? 1 : 0;
  std::printf(
      "%llu rounds from seed %llu and %zu inputs (%zu sound): %zu accepted, the others refused "
      "with a message\n",
      static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(seed), inputs, sound,
      accepted);
  const bool handful = rounds < reader.accepted_one_in;  // all of them may be rejected
  return handful || accepted * reader.accepted_one_in >= rounds ? 0 : 1;
}

int Main(const std::vector<std::string>& words) {
  const ReaderFuzz& reader = Subject();
  find_path = "find-" + reader.name;
  if (words.size() == 2 && words[0] == "--seeds") {
    WriteSeeds(words[1]);
    return 0;
  }
  HeedSignals();
  LimitMemory();
  const bool is_number =
      !words.empty() && words[0].find_first_not_of("0123456789") == std::string::npos;
  if (words.empty() || (is_number && words.size() < 2)) {
    std::fprintf(stderr, "usage: %s_fuzz ROUNDS SEED FOLDER... | FILE... | --seeds FOLDER\n",
                 reader.name.c_str());
    return 2;
  }
  if (is_number) {
    std::vector<std::string> corpus = reader.seeds;
    for (std::size_t i = 2; i < words.size(); ++i) ReadCorpus(words[i], &corpus);
    return Rounds(std::stoull(words[0]), std::stoull(words[1]), std::move(corpus));
  }
  for (const std::string& path : words) {
    const bool accepted = CheckInTime(BytesOf(path));
    std::printf("%s: %s\n", path.c_str(), accepted ? "accepted" : LastRefusal().c_str());
  }
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::Main({argv + 1, argv + argc}); }

#endif
