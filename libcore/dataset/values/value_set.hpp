// Values for several inputs or outputs: a folder of files, or an .npz.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

class NpzFile;

/// Files of a folder are called by a value's name or by its position ("input_0.pb"); a numbered .pb
/// that holds the name of a value goes by that name. Arrays of an .npz go by name, or by position;
/// the elements of a sequence are "name[0]", "name[1]" and so on there. Nothing is read before it
/// is asked for, and no name of a model becomes a path.
class ValueSet {
 public:
  /// Opens what `path` names. `kind` is "input" or "output", as in the numbered names. Throws
  /// ErrorCode::invalid when there is neither a folder nor an .npz.
  ValueSet(std::string path, std::string kind);
  ~ValueSet();

  /// A value found, and where.
  struct Found {
    RunValue value;
    std::string source;
  };
  /// By name, or by position where it has one: inputs with a default have none.
  std::optional<Found> find(const Value& value, std::optional<std::size_t> position,
                            MemoryCap& cap) const;

  /// Throws ErrorCode::invalid when it holds something that belongs to none of `values`. Files of a
  /// folder that are called after the other kind are left alone.
  void check_all_known(std::span<Value* const> values) const;
  bool is_empty() const;

 private:
  /// Whether the numbered .pb `file` says inside that it is `value`.
  bool names_itself(const std::string& file, const Value& value) const;

  std::string path_;
  std::string kind_;
  std::unique_ptr<NpzFile> archive_;
  std::vector<std::string> files_;  ///< names of the folder's value files, sorted
};

/// For each of `inputs` its place among those without a default, as the files of a test folder
/// count them; nothing for one with a default.
std::vector<std::optional<std::size_t>> input_positions(std::span<Value* const> inputs);

}  // namespace ortool
