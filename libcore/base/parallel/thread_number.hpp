// Which of a job's threads is running.
#pragma once

namespace ortool {

/// The number of the calling thread among those of the job it works on: 0 for the one that gave it,
/// then 1, 2 ... A thread of no job has 0. No two threads of a job have the same, and a thread has
/// the same in each job of a run; a job done in place by one thread may find any.
int thread_number();

}  // namespace ortool
