// Value sets: values for several inputs or outputs in a folder of files, or an .npz.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

class NpzFile;

/// Files of a folder are named after a value or its position ("input_0.pb"); a numbered .pb that
/// contains the name of a value belongs to that value. Arrays of an .npz are found by name, or by
/// position; elements of a sequence are named "name[0]", "name[1]" and so on. Values are read on
/// demand, and no name of a model becomes a path.
class ValueSet {
 public:
  /// Opens what `path` names. `kind` is "input" or "output", as in numbered names. Throws
  /// ErrorCode::invalid when there is neither a folder nor an .npz.
  /// Values of inputs have to match them, unless they `are_cast` afterwards.
  ValueSet(std::string path, std::string kind, bool are_cast = false);
  ~ValueSet();

  /// A value, and where it was found.
  struct Found {
    RunValue value;
    std::string source;
  };
  /// By name, or by position if it has one: inputs with a default have none.
  std::optional<Found> find(const Value& value, std::optional<std::size_t> position,
                            MemoryCap& cap) const;

  /// Throws ErrorCode::invalid when it holds something that belongs to none of `values`, or nothing
  /// for values that need it. Files of a folder that are named after the other kind are ignored.
  void check_all_known(std::span<Value* const> values) const;

 private:
  /// For a folder or an archive without a value of any of `values`: what it holds instead.
  Error without_values(std::span<Value* const> values) const;
  /// Whether the numbered .pb `file` contains the name of `value`.
  bool names_itself(const std::string& file, const Value& value) const;

  std::string path_;
  std::string kind_;
  bool checks_inputs_;
  std::unique_ptr<NpzFile> archive_;
  std::vector<std::string> files_;  ///< names of the folder's value files, sorted
};

/// For each of `inputs` its position among those without a default, as in the file names of a test
/// folder; nothing for one with a default.
std::vector<std::optional<std::size_t>> input_positions(std::span<Value* const> inputs);

}  // namespace ortool
