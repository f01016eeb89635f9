// Function kernels: a kernel made of two functions, one that prepares for shapes and one that runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/provider/kernel.hpp"

namespace ortool::cpu {

/// A set of operand positions below 64.
class OperandSet {
 public:
  OperandSet() = default;
  OperandSet(std::initializer_list<std::size_t> positions) {
    for (const std::size_t position : positions) add(position);
  }
  void add(std::size_t position) {
    if (position < 64) bits_ |= std::uint64_t{1} << position;
  }
  bool contains(std::size_t position) const {
    return position < 64 && (bits_ >> position & 1U) != 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// What prepare() returns in addition to the run function.
struct Preparation {
  std::int64_t workspace_bytes = 0;
  std::int64_t held_bytes = 0;                        ///< memory held that grows with the shapes
  OperandSet overwritable = {};                       ///< inputs that output 0 may overwrite
  std::optional<std::size_t> view_of = std::nullopt;  ///< output 0 is a view of that input
  std::vector<BytesView> views = {};                  ///< by output, if all of them are views
  std::vector<std::int64_t> places = {};              ///< by input: its offset within output 0
};

/// A Prepared that calls `run(const RunContext&)`.
template <typename Run>
PreparedPtr make_prepared(Preparation preparation, Run run) {
  class FunctionPrepared : public Prepared {
   public:
    FunctionPrepared(Preparation preparation, Run run)
        : preparation_(std::move(preparation)), run_(std::move(run)) {}

    std::int64_t workspace_bytes() const override { return preparation_.workspace_bytes; }
    std::int64_t held_bytes() const override { return preparation_.held_bytes; }
    std::optional<BytesView> view_of(std::size_t output) const override {
      if (output == 0 && preparation_.view_of) return BytesView{*preparation_.view_of, 0};
      if (output < preparation_.views.size()) return preparation_.views[output];
      return std::nullopt;
    }
    std::optional<std::int64_t> place_in_output(std::size_t index) const override {
      if (index < preparation_.places.size()) return preparation_.places[index];
      return std::nullopt;
    }
    bool can_overwrite(std::size_t index) const override {
      return preparation_.overwritable.contains(index);
    }
    void run(const RunContext& context) const override { run_(context); }

   private:
    Preparation preparation_;
    Run run_;
  };
  return std::make_unique<const FunctionPrepared>(std::move(preparation), std::move(run));
}

/// What compile() returns in addition to the prepare function.
struct Compilation {
  OperandSet packed = {};  ///< inputs that run() no longer reads
  std::int64_t packed_bytes = 0;
};

/// A Kernel that calls `prepare(const PrepareContext&)`, which returns a PreparedPtr. `name` must
/// outlive it, like a KernelRow's.
template <typename Prepare>
KernelPtr make_kernel(std::string_view name, Prepare prepare, Compilation compilation = {}) {
  class FunctionKernel : public Kernel {
   public:
    FunctionKernel(std::string_view name, Prepare prepare, Compilation compilation)
        : name_(name), prepare_(std::move(prepare)), compilation_(compilation) {}

    std::string_view name() const override { return name_; }
    PreparedPtr prepare(const PrepareContext& context) const override { return prepare_(context); }
    bool needs_input(std::size_t index) const override {
      return !compilation_.packed.contains(index);
    }
    std::int64_t packed_bytes() const override { return compilation_.packed_bytes; }

   private:
    std::string_view name_;
    Prepare prepare_;
    Compilation compilation_;
  };
  return std::make_unique<const FunctionKernel>(name, std::move(prepare), compilation);
}

/// A dynamic Kernel that calls `run(DynamicContext&)`. `name` must outlive it, like a KernelRow's.
template <typename Run>
KernelPtr make_dynamic_kernel(std::string_view name, Run run) {
  class DynamicKernel : public Kernel {
   public:
    DynamicKernel(std::string_view name, Run run) : name_(name), run_(std::move(run)) {}

    std::string_view name() const override { return name_; }
    bool is_dynamic() const override { return true; }
    PreparedPtr prepare(const PrepareContext&) const override { ORTOOL_CHECK(false); }
    void run_dynamic(DynamicContext& context) const override { run_(context); }

   private:
    std::string_view name_;
    Run run_;
  };
  return std::make_unique<const DynamicKernel>(name, std::move(run));
}

}  // namespace ortool::cpu
