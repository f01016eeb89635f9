// OpenMP thread limit: the number of threads is a per-thread setting.
#include "providers/onednn/single_thread_scope.hpp"

// Part of the OpenMP API that every implementation provides; <omp.h> belongs to a specific one.
extern "C" {
void omp_set_num_threads(int count);
int omp_get_max_threads();
}

namespace ortool::onednn {

SingleThreadScope::SingleThreadScope() : previous_(omp_get_max_threads()) {
  if (previous_ != 1) omp_set_num_threads(1);
}

SingleThreadScope::~SingleThreadScope() {
  if (previous_ != 1) omp_set_num_threads(previous_);
}

}  // namespace ortool::onednn
