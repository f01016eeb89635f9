// The index of the calling thread within a parallel job.
#pragma once

namespace ortool {

/// The index of the calling thread among those of its current job: 0 for the thread that started
/// it, then 1, 2 ... and 0 outside of jobs. Indices are unique within a job, and a thread has the
/// same index in all jobs of a run; a job that runs inline in one thread may see any index.
int thread_number();

}  // namespace ortool
