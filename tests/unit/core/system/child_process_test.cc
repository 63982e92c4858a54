// SPDX-License-Identifier: GPL-2.0-only
#include "core/system/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

int StatusOf(pid_t child) {
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

ChildPlan Shell(const std::string& text) {
  ChildPlan plan;
  plan.words = {"sh", "-c", text};
  return plan;
}

TEST(ChildProcess, ItEndsWithItsExitCode) {
  const ChildProcess child(Shell("exit 7"));
  const int status = StatusOf(child.id());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(ChildProcess, AProgramThatIsNotThereEndsAsInAShell) {
  ChildPlan plan;
  plan.words = {"heddle-no-such-program"};
  const ChildProcess child(plan);
  const int status = StatusOf(child.id());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 127);
}

TEST(ChildProcess, ItsInputHasTheTokenAndEndsWithTheOwner) {
  pid_t id = -1;
  {
    const ChildProcess child(
        Shell("[ \"$HEDDLE_PARENT_PIPE\" = stdin ] && [ \"$(cat)\" = h ] && exit 9"));
    id = child.id();
    int status = 0;
    EXPECT_EQ(waitpid(id, &status, WNOHANG), 0) << "ended although its input is open";
  }
  const int status = StatusOf(id);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

TEST(ChildProcess, AnotherChildDoesNotHoldThePipe) {
  pid_t first = -1;
  ChildProcess* child = new ChildProcess(Shell("cat > /dev/null; exit 3"));
  first = child->id();
  const ChildProcess second(Shell("exec sleep 600"));
  delete child;
  EXPECT_EQ(WEXITSTATUS(StatusOf(first)), 3);
  kill(second.id(), SIGKILL);
  StatusOf(second.id());
}

TEST(ChildProcess, ItsInputIsThePipeAlsoWhereThisProcessHasNone) {
  const int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  pid_t id = -1;
  {
    const ChildProcess child(Shell("[ \"$(cat)\" = h ] && exit 5"));
    id = child.id();
  }
  if (kept >= 0) {
    dup2(kept, STDIN_FILENO);
    close(kept);
  }
  EXPECT_EQ(WEXITSTATUS(StatusOf(id)), 5);
}

#if defined(__linux__)
/// Starts a process that starts a child by `plan`, says its number, and is killed. Returns the
/// status with which the child ends. It has no pipe to it: the plan's program does not read.
int StatusAfterParentsKill(const ChildPlan& plan) {
  EXPECT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // this process waits for what is left
  int line[2];
  EXPECT_EQ(pipe(line), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    const ChildProcess child(plan);
    const pid_t id = child.id();
    if (write(line[1], &id, sizeof(id)) == sizeof(id)) kill(getpid(), SIGKILL);
    _exit(1);
  }
  pid_t child = -1;
  EXPECT_EQ(read(line[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  close(line[0]);
  close(line[1]);
  EXPECT_TRUE(WIFSIGNALED(StatusOf(parent)));
  const int status = StatusOf(child);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  return status;
}

TEST(ChildProcess, ItIsKilledWhenItsParentIs) {
  const int status = StatusAfterParentsKill(Shell("exec sleep 600"));
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(ChildProcess, ALauncherIsAskedToEnd) {
  ChildPlan plan = Shell("exec sleep 600");
  plan.parent_death_signal = SIGTERM;
  const int status = StatusAfterParentsKill(plan);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(ChildProcess, AParentThatHasEndedAlreadyIsNoticed) {
  const pid_t child = fork();
  if (child == 0) {
    RequestParentDeathSignal(SIGUSR1, getpid());  // not the parent
    _exit(0);
  }
  const int status = StatusOf(child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGUSR1);
}
#endif

}  // namespace
}  // namespace heddle
