#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Starts ranks that all end by themselves: a rank that fails does not make mpirun end the others, for which it would wait a second. The
# exit code is the one of all ranks, or 99 if they differ. Usage: all_end.sh MPIRUN... -n RANKS COMMAND...
set -u
start=()
while [ "$1" != -n ]; do start+=("$1"); shift; done
ranks=$2
shift 2
codes=$(mktemp -d) || exit 99
trap 'rm -rf "$codes"' EXIT
# shellcheck disable=SC2016  # of the ranks' shells
"${start[@]}" --mca orte_abort_on_non_zero_status 0 -n "$ranks" \
  sh -c '"$@"; echo $? > "$0/$OMPI_COMM_WORLD_RANK"' "$codes" "$@" || exit  # MPI_Abort
[ "$(cat "$codes"/* | wc -l)" = "$ranks" ] || exit 99
different=$(sort -u "$codes"/*)
[ "$(wc -l <<< "$different")" = 1 ] || { echo "ranks ended with $(xargs <<< "$different")" >&2; exit 99; }
exit "$different"
