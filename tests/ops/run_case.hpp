// Running an operator case in every way that must give the same.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/parallel/thread_pool.hpp"
#include "tests/ops/case_file.hpp"

namespace ortool::test {

/// Runs the case at every instruction-set level of this processor: with its inputs given at run
/// time, with all but the first as constants, and with all as constants; each with one thread and
/// with four. Bits must be equal whatever the number of threads and whatever is constant. Gives
/// what was wrong, a sentence a finding: empty when the case passed. With `digests` (may be null) a
/// line is added for each tensor that was computed: where, and the SHA-256 of its bytes.
std::vector<std::string> run_case(const OpCase& each, ThreadPool& pool,
                                  std::vector<std::string>* digests = nullptr);

}  // namespace ortool::test
