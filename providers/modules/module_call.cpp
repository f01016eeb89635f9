// Module calls: the table of functions that modules call, and errors across the border.
#include "providers/modules/module_call.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/version.hpp"
#include "libcore/onnx/write/serialize.hpp"
#include "providers/modules/single_node_model.hpp"

namespace ortool::modules {
namespace {

constexpr std::int32_t max_rank = 64;

ErrorCode code_of(int failure) {
  switch (failure) {
    case ORTOOL_PROVIDER_INVALID:
      return ErrorCode::invalid;
    case ORTOOL_PROVIDER_UNAVAILABLE:
      return ErrorCode::provider_unavailable;
    case ORTOOL_PROVIDER_MEMORY:
      return ErrorCode::memory_limit;
    default:
      return ErrorCode::unsupported;
  }
}

}  // namespace

ModuleCall::ModuleCall(const ModuleScope& scope) : scope_(scope) {
  call_.base.api = &api();
  call_.base.threads = scope.threads;
  call_.base.precision = scope.precision;
  call_.owner = this;
  if (scope.claimed != nullptr) refusals_.resize(scope.claimed->node_count());
}

ModuleCall& ModuleCall::owner_of(ortool_provider_call* call) {
  return *reinterpret_cast<Handle*>(call)->owner;
}

template <typename Body>
bool ModuleCall::keep_errors(Body body) {
  try {
    body();
    return true;
  } catch (...) {
    if (kept_ == nullptr) kept_ = std::current_exception();
    return false;
  }
}

const ortool_provider_api& ModuleCall::api() {
  static const std::string version_text(version());
  static const ortool_provider_api table = {
      .size = sizeof(ortool_provider_api),
      .ortool_version = version_text.c_str(),
      .fail = [](ortool_provider_call* call, std::int32_t failure,
                 const char* message) { return owner_of(call).fail(failure, message); },
      .refuse =
          [](ortool_provider_call* call, std::size_t index, const char* reason) {
            ModuleCall& owner = owner_of(call);
            if (index >= owner.refusals_.size()) return;
            owner.refusals_[index] = reason != nullptr && *reason != '\0' ? reason : "no reason";
          },
      .model_bytes =
          [](ortool_provider_call* call, std::size_t index, std::size_t* length) {
            return owner_of(call).bytes_of_model(index, length);
          },
      .output =
          [](ortool_provider_call* call, std::size_t index, std::int32_t type, std::int32_t rank,
             const std::int64_t* shape) {
            return owner_of(call).make_output(index, type, rank, shape);
          },
      .is_stopped =
          [](ortool_provider_call* call) {
            const ModuleCall& owner = owner_of(call);
            const StopToken* stop =
                owner.scope_.workers != nullptr ? owner.scope_.workers->stop() : nullptr;
            return stop != nullptr && stop->is_requested() ? 1 : 0;
          },
      .parallel =
          [](ortool_provider_call* call, std::int64_t tasks,
             void (*body)(void* context, std::int64_t task), void* context) {
            ModuleCall& owner = owner_of(call);
            if (owner.scope_.workers == nullptr || body == nullptr)
              return owner.fail(ORTOOL_PROVIDER_INVALID, "parallel() is for run() only");
            const bool is_done = owner.keep_errors([&] {
              owner.scope_.workers->parallel_for(tasks,
                                                 [&](std::int64_t task) { body(context, task); });
            });
            return is_done ? 0 : 1;
          },
      .wants_figures =
          [](ortool_provider_call* call) {
            return owner_of(call).scope_.figures != nullptr ? 1 : 0;
          },
      .figures =
          [](ortool_provider_call* call, const ortool_provider_figures* figures) {
            if (figures != nullptr) owner_of(call).add_figures(*figures);
          }};
  return table;
}

int ModuleCall::fail(int failure, const char* message) {
  const ErrorCode code = code_of(failure);
  if (!error_) {
    error_.emplace(code, message != nullptr ? message : "no message");
    error_->with_id("provider.failed");
  }
  return failure != 0 ? failure : static_cast<int>(ORTOOL_PROVIDER_UNSUPPORTED);
}

void ModuleCall::finish(std::string_view name, int result, bool has_thrown) {
  if (kept_ != nullptr) std::rethrow_exception(kept_);
  if (has_thrown) {
    throw Error(
        ErrorCode::unsupported,
        format("the module of provider '{}' threw an exception in {}()", scope_.provider, name),
        "exceptions must not leave a module")
        .with_id("provider.module");
  }
  if (result == 0 && !error_) return;
  if (scope_.workers != nullptr) scope_.workers->poll();
  if (error_) throw Error(*error_);
  throw Error(ErrorCode::unsupported,
              format("the module of provider '{}' failed in {}() with {} and without a message",
                     scope_.provider, name, result))
      .with_id("provider.module");
}

const void* ModuleCall::bytes_of_model(std::size_t index, std::size_t* length) {
  const bool is_done = keep_errors([&] {
    if (scope_.compiled != nullptr) {
      bytes_.push_back(serialize_model(*scope_.compiled, scope_.cap));
      return;
    }
    if (scope_.claimed == nullptr || index >= scope_.claimed->node_count()) {
      throw Error(ErrorCode::unsupported,
                  format("the module of provider '{}' asks for a model that there is not",
                         scope_.provider));
    }
    bytes_.clear();
    bytes_.push_back(serialize_model(*single_node_model(scope_.claimed->node(index)), scope_.cap));
  });
  if (!is_done) return nullptr;
  if (length != nullptr) *length = static_cast<std::size_t>(bytes_.back().size_bytes());
  return bytes_.back().data();
}

void ModuleCall::add_figures(const ortool_provider_figures& given) {
  if (scope_.figures == nullptr || given.size < sizeof(ortool_provider_figures)) return;
  const auto sane = [](std::int64_t number) { return std::max<std::int64_t>(0, number); };
  scope_.figures->add({.kernels = 1,
                       .copy_in_ns = sane(given.copy_in_ns),
                       .compute_ns = sane(given.compute_ns),
                       .copy_out_ns = sane(given.copy_out_ns),
                       .memory_bytes = sane(given.memory_bytes)});
}

void* ModuleCall::make_output(std::size_t index, std::int32_t type, std::int32_t rank,
                              const std::int64_t* shape) {
  void* data = nullptr;
  keep_errors([&] {
    const bool is_known = type > 0 && type < data_type_count &&
                          static_cast<DataType>(type) != DataType::string && rank >= 0 &&
                          rank <= max_rank && (rank == 0 || shape != nullptr);
    if (index >= scope_.outputs.size() || !is_known) {
      throw Error(ErrorCode::unsupported,
                  format("the module of provider '{}' asks for output {} of type {} and rank {}",
                         scope_.provider, index, type, rank))
          .with_id("provider.module");
    }
    std::vector<std::int64_t> dimensions;
    for (std::int32_t i = 0; i < rank; ++i) dimensions.push_back(shape[i]);
    Tensor& output = scope_.outputs[index];
    output = Tensor(static_cast<DataType>(type), Shape(std::move(dimensions)), scope_.cap);
    data = output.mutable_bytes();
  });
  return data;
}

}  // namespace ortool::modules
