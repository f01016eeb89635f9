// Runs an operator case in every configuration that must give the same result.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "tests/ops/case_file.hpp"

namespace ortool::test {

/// Runs the case at every instruction-set level of this processor, with all inputs given at run
/// time, all but the first constant, and all constant, each with one thread and with four. Bits
/// must not depend on the number of threads or on what is constant. Returns one sentence per
/// finding; empty if the case passed. With `digests` (may be null), adds a line for each computed
/// tensor: where, and the SHA-256 of its bytes.
std::vector<std::string> run_case(const OpCase& each, ThreadPool& pool,
                                  std::vector<std::string>* digests = nullptr);

}  // namespace ortool::test
