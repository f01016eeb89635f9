// Kernels that call a function object, which lies behind them in the same allocation.
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {

namespace {

/// The function object behind an object, and the memory of both.
class alignas(std::max_align_t) ClosureHolder {
 public:
  ClosureHolder(const ClosureHolder&) = delete;
  ClosureHolder& operator=(const ClosureHolder&) = delete;

  static void* operator new(std::size_t bytes, const ClosureType& type) {
    return ::operator new(bytes + type.bytes);
  }
  static void operator delete(void* memory, const ClosureType&) { ::operator delete(memory); }
  static void operator delete(void* memory) { ::operator delete(memory); }

 protected:
  ClosureHolder(const ClosureType& type, void* from, void* to) : type_(type), closure_(to) {
    type.move(to, from);
  }
  ~ClosureHolder() {
    if (type_.destroy != nullptr) type_.destroy(closure_);
  }
  const void* closure() const { return closure_; }

 private:
  const ClosureType& type_;
  void* closure_;
};

class FunctionPrepared final : public Prepared, public ClosureHolder {
 public:
  FunctionPrepared(Preparation preparation, const ClosureType& type, void* closure,
                   RunClosure function)
      : ClosureHolder(type, closure, this + 1),
        preparation_(std::move(preparation)),
        run_(function) {}
  using ClosureHolder::operator new;
  using ClosureHolder::operator delete;

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
  void run(const RunContext& context) const override { run_(closure(), context); }

 private:
  Preparation preparation_;
  RunClosure run_;
};

class FunctionKernel final : public Kernel, public ClosureHolder {
 public:
  FunctionKernel(std::string_view name, Compilation compilation, const ClosureType& type,
                 void* closure, PrepareClosure function)
      : ClosureHolder(type, closure, this + 1),
        name_(name),
        compilation_(compilation),
        prepare_(function) {}
  using ClosureHolder::operator new;
  using ClosureHolder::operator delete;

  std::string_view name() const override { return name_; }
  PreparedPtr prepare(const PrepareContext& context) const override {
    return prepare_(closure(), context);
  }
  bool needs_input(std::size_t index) const override {
    return !compilation_.packed.contains(index);
  }
  std::int64_t packed_bytes() const override { return compilation_.packed_bytes; }

 private:
  std::string_view name_;
  Compilation compilation_;
  PrepareClosure prepare_;
};

class DynamicKernel final : public Kernel, public ClosureHolder {
 public:
  DynamicKernel(std::string_view name, const ClosureType& type, void* closure,
                RunDynamicClosure function)
      : ClosureHolder(type, closure, this + 1), name_(name), run_(function) {}
  using ClosureHolder::operator new;
  using ClosureHolder::operator delete;

  std::string_view name() const override { return name_; }
  bool is_dynamic() const override { return true; }
  PreparedPtr prepare(const PrepareContext&) const override { ORTOOL_CHECK(false); }
  void run_dynamic(DynamicContext& context) const override { run_(closure(), context); }

 private:
  std::string_view name_;
  RunDynamicClosure run_;
};

}  // namespace

PreparedPtr prepare_closure(Preparation preparation, const ClosureType& type, void* closure,
                            RunClosure run) {
  return PreparedPtr(new (type) FunctionPrepared(std::move(preparation), type, closure, run));
}

KernelPtr compile_closure(std::string_view name, Compilation compilation, const ClosureType& type,
                          void* closure, PrepareClosure prepare) {
  return KernelPtr(new (type) FunctionKernel(name, compilation, type, closure, prepare));
}

KernelPtr compile_dynamic_closure(std::string_view name, const ClosureType& type, void* closure,
                                  RunDynamicClosure run) {
  return KernelPtr(new (type) DynamicKernel(name, type, closure, run));
}

}  // namespace ortool::cpu
