# SPDX-License-Identifier: GPL-2.0-only
# A Slurm of one node on loopback, for tests: munged, slurmctld and slurmd of the calling user, with all their files in one folder,
# on free ports, authenticated by a key of this instance only. Sourced.
#   slurm_install LOG    Debian's packages, if they are missing, this is root and a mirror answers; fails if Slurm stays missing
#   slurm_start FOLDER   (existing, empty) starts it; returns when the node takes jobs, or fails and shows why
#   slurm_stop           cancels what runs, ends the three daemons
# shellcheck shell=bash

slurm_daemons=()
slurm_programs() { command -v munged slurmctld slurmd sbatch srun squeue scontrol scancel sinfo > /dev/null; }

slurm_install() {
  export PATH=$PATH:/usr/sbin:/sbin
  slurm_programs && return 0
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo 'Slurm is not installed, and only root on a Debian machine can install it (slurmctld slurmd slurm-client munge)'
    return 1
  fi
  local log=$1
  {
    timeout 60 apt-get -qq update
    DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 timeout 150 apt-get -qq install -y --no-install-recommends \
      slurmctld slurmd slurm-client munge
  } > "$log" 2>&1 < /dev/null
  slurm_programs && return 0
  echo 'Slurm is not installed, and apt could not install it:'
  tail -5 "$log"
  return 1
}

# free_port: one above 20000 on which nothing listens.
free_port() {
  local port
  while port=$((20000 + RANDOM % 12000)); (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do :; done
  echo "$port"
}

# Four processors, whatever the machine has: a job of one task and two others run beside each other.
slurm_configuration() {
  local memory
  memory=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
  cat << END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$1/munge.socket,cred_expire=5
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1
KillWait=10
OverTimeLimit=0
PropagateResourceLimits=NONE
AccountingStorageType=accounting_storage/none
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=$memory State=UNKNOWN
PartitionName=debug Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
}

# The daemons stay children of the script, so that their processes are known and none outlives it unseen.
slurm_start() {
  local folder=$1
  slurm_daemons=()
  mkdir "$folder/state" "$folder/spool" || return 1
  (umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key") || return 1
  munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" --num-threads=2 > "$folder/munged.out" 2>&1 &
  slurm_daemons+=($!)
  slurm_configuration "$folder" > "$folder/slurm.conf"
  export SLURM_CONF=$folder/slurm.conf
  for _ in {1..50}; do [ -S "$folder/munge.socket" ] && break; sleep 0.1; done
  slurmctld -D -c > "$folder/slurmctld.out" 2>&1 &
  slurm_daemons+=($!)
  slurmd -D -N localhost > "$folder/slurmd.out" 2>&1 &
  slurm_daemons+=($!)
  for _ in {1..60}; do
    [ "$(timeout 5 sinfo -h -o %t 2> /dev/null)" = idle ] && return 0
    sleep 0.5
  done
  echo 'the Slurm of this test did not come up:'
  tail -n 5 "$folder"/*.out "$folder"/*.log
  return 1
}

slurm_stop() {
  [ ${#slurm_daemons[@]} -gt 0 ] || return 0
  timeout 10 scancel --user="$(id -un)" --full --signal=KILL > /dev/null 2>&1
  for _ in {1..20}; do [ -z "$(timeout 5 squeue -h 2> /dev/null)" ] && break; sleep 0.5; done
  local at
  for ((at = ${#slurm_daemons[@]} - 1; at >= 0; --at)); do kill "${slurm_daemons[$at]}" 2> /dev/null; done
  for _ in {1..50}; do kill -0 "${slurm_daemons[@]}" 2> /dev/null || break; sleep 0.1; done
  kill -9 "${slurm_daemons[@]}" 2> /dev/null
  wait "${slurm_daemons[@]}" 2> /dev/null
  slurm_daemons=()
}
