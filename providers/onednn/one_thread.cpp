// The number of OpenMP threads is a setting of each thread.
#include "providers/onednn/one_thread.hpp"

// From OpenMP's interface, which every implementation of it has; <omp.h> belongs to one of them.
extern "C" {
void omp_set_num_threads(int count);
int omp_get_max_threads();
}

namespace ortool::onednn {

OneThread::OneThread() : previous_(omp_get_max_threads()) {
  if (previous_ != 1) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (previous_ != 1) omp_set_num_threads(previous_);
}

}  // namespace ortool::onednn
