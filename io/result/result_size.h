// SPDX-License-Identifier: GPL-2.0-only
/// How large a result becomes, from the rows that it will have: an estimate to plan disks by.
#ifndef HEDDLE_IO_RESULT_RESULT_SIZE_H_
#define HEDDLE_IO_RESULT_RESULT_SIZE_H_

namespace heddle {

/// Rows of the tables that grow with the run, as far as they are known before it. Counts, of any
/// size.
struct ResultRows {
  double flows = 0;
  double labelled_flows = 0;  ///< of those, flows of workloads: they say which collective they
                              ///< belong to, and are more alike
  double decisions = 0;       ///< of the central controller, each with its path
  double steps = 0;           ///< time lines of GPUs
  double layers = 0;          ///< a layer of a GPU
  double links = 0;           ///< of the topology; a row of /ports for each end
};

/// [byte]
struct ResultSize {
  double result = 0;  ///< the finished file
  double beside = 0;  ///< part logs beside it while the run lasts
};

/// Typical of runs whose flows are not much alike; the result of a run that is all symmetry is
/// smaller.
ResultSize EstimateResultSize(const ResultRows& rows);

/// At most so many bytes of part logs that monitors of queues and links write for a simulated
/// second. `queues`, `ports`: that are sampled; intervals in seconds, 0: not sampled.
double MostMonitorBytes(double queues, double queue_interval, double ports, double link_interval);

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_RESULT_SIZE_H_
