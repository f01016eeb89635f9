// Custom operators in the catalog: their schemas, checks and shape rules, from C structs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/node.hpp"
#include "providers/cpu/custom/ortool/custom_ops.h"
#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

struct CustomOp;

/// One version of an operator, with a copy of its struct and of what that points to. Lives as long
/// as it is registered or a kernel has it; then its context is released.
class CustomVersion {
 public:
  /// `given` is as long as its member `size` says, and at least as the first header's struct.
  CustomVersion(const ortool_operator& given, std::string origin);
  ~CustomVersion();
  CustomVersion(const CustomVersion&) = delete;
  CustomVersion& operator=(const CustomVersion&) = delete;

  const ortool_operator& op() const { return op_; }
  /// For messages: the path of the library, or what the program says.
  const std::string& origin() const { return origin_; }
  /// For the user: "float32, int64".
  std::string types_text() const;

 private:
  friend void register_custom_op(std::vector<std::shared_ptr<CustomVersion>> versions,
                                 std::string kernel_name, bool is_removable);

  std::string name_;
  std::string domain_;
  std::vector<std::int32_t> types_;
  ortool_operator op_ = {};
  std::string origin_;
  CustomOp* registration_ = nullptr;
};
using CustomVersionPtr = std::shared_ptr<const CustomVersion>;

/// Puts all versions of an operator into the catalog and the kernel list, until it is removed.
/// Throws ErrorCode::invalid if the catalog has an operator of that name.
void register_custom_op(std::vector<std::shared_ptr<CustomVersion>> versions,
                        std::string kernel_name, bool is_removable);

/// Removes an operator that is removable: new models do not find it, sessions keep it. Throws
/// ErrorCode::invalid if there is none.
void remove_custom_op(std::string_view domain, std::string_view name);

/// Whether register_custom_op() would refuse the name.
bool is_taken(std::string_view domain, std::string_view name);

/// The operator of a node; throws ErrorCode::unsupported for opsets before its first version, and
/// if it has been removed.
CustomVersionPtr custom_version_of(const Node& node);

/// Kernel rows call this.
KernelPtr compile_custom_op(const NodeView& view, const KernelRow& row,
                            const CompileContext& context);

}  // namespace ortool::cpu
