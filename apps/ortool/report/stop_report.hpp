// Stop report: what the program still says when a signal or the time limit ends it by force.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"

namespace ortool {

/// Texts that were composed beforehand, since a signal handler must not allocate memory.
class StopReport {
 public:
  static constexpr std::array<ErrorCode, 3> reasons = {ErrorCode::interrupted,
                                                       ErrorCode::terminated, ErrorCode::timeout};

  /// For each of `reasons`: the error's line on stderr, and the JSON document or nothing.
  struct Texts {
    std::array<std::string, 3> lines;
    std::array<std::string, 3> documents;
    std::string path;           ///< of --report; empty: no file
    bool is_on_stdout = false;  ///< the document also goes to stdout
  };

  /// Replaces what `write` writes; a handler may run meanwhile.
  void prepare(Texts texts);

  /// Writes the line, the report's file, which is replaced atomically, and the document.
  /// Async-signal-safe; failures are ignored. Does nothing before `prepare`.
  void write(ErrorCode reason) const noexcept;

 private:
  struct Prepared;
  struct Delete {
    void operator()(Prepared* prepared) const;
  };

  std::vector<std::unique_ptr<Prepared, Delete>> kept_;
  std::atomic<const Prepared*> newest_{nullptr};
};

}  // namespace ortool
