// oneDNN primitive execution: memory objects hold the pointers of a call, so each concurrent call
// has its own set.
#include "providers/onednn/primitive.hpp"

#include <oneapi/dnnl/dnnl.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "providers/onednn/single_thread_scope.hpp"

namespace ortool::onednn {
namespace {

void check_status(dnnl_status_t status, const std::string& implementation) {
  if (status == dnnl_success) return;
  throw Error(ErrorCode::unsupported,
              format("oneDNN's {} failed with status {}", implementation, static_cast<int>(status)),
              "run with --provider cpu");
}

/// Inputs are described to memory objects as plain bytes: for zero-padded layouts, oneDNN would
/// write the padding again whenever a memory object gets another pointer.
dnnl::memory::desc as_bytes(std::int64_t count) {
  return {{count}, dnnl::memory::data_type::u8, dnnl::memory::format_tag::a};
}

SerializedDesc to_layout(const dnnl::memory::desc& description) {
  return {reinterpret_cast<const char*>(&description.data), sizeof(description.data)};
}

}  // namespace

struct Primitive::Parts {
  dnnl::primitive primitive;
  dnnl::engine engine;
  dnnl::memory::desc scratch;
  std::vector<dnnl::memory::desc> operands;
};

struct Primitive::Call {
  dnnl::stream stream;
  std::vector<dnnl::memory> memories;  ///< of the operands, followed by the scratch
  std::vector<dnnl_exec_arg_t> arguments;
};

Primitive::Primitive(const dnnl::primitive_desc_base& description, const dnnl::primitive& primitive,
                     std::span<const int> names)
    : implementation_(description.impl_info_str()) {
  auto parts = std::make_unique<Parts>();
  parts->primitive = primitive;
  parts->engine = description.get_engine();
  parts->scratch = description.scratchpad_desc();
  scratch_bytes_ = static_cast<std::int64_t>(parts->scratch.get_size());
  for (const int name : names) {
    parts->operands.push_back(description.query_md(dnnl::query::exec_arg_md, name));
    const dnnl::memory::desc& operand = parts->operands.back();
    operands_.push_back({name, static_cast<std::int64_t>(operand.get_size()), to_layout(operand)});
  }
  ORTOOL_CHECK(names.size() <= max_operands);
  parts_ = std::move(parts);
  idle_[0] = make_call().release();
}

Primitive::~Primitive() {
  for (std::atomic<Call*>& call : idle_) delete call.load();
}

bool Primitive::is_reference() const {
  return implementation_.starts_with("ref") || implementation_.starts_with("simple");
}

std::unique_ptr<Primitive::Call> Primitive::make_call() const {
  auto call = std::make_unique<Call>();
  call->stream = dnnl::stream(parts_->engine);
  const auto add = [&](const dnnl::memory::desc& description, int name) {
    call->memories.emplace_back(description, parts_->engine, nullptr);
    call->arguments.push_back({name, call->memories.back().get()});
  };
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const bool is_result = i + 1 == operands_.size();
    add(is_result ? parts_->operands[i] : as_bytes(operands_[i].bytes), operands_[i].name);
  }
  if (scratch_bytes_ > 0) add(parts_->scratch, DNNL_ARG_SCRATCHPAD);
  return call;
}

void Primitive::run(std::span<const void* const> operands, void* scratch) const {
  ORTOOL_CHECK(operands.size() == operands_.size());
  const SingleThreadScope one_thread;
  std::unique_ptr<Call> call;
  for (std::atomic<Call*>& idle : idle_) {
    call.reset(idle.exchange(nullptr, std::memory_order_acquire));
    if (call != nullptr) break;
  }
  if (call == nullptr) call = make_call();
  const auto point = [&](std::size_t index, const void* data) {
    check_status(dnnl_memory_set_data_handle_v2(call->memories[index].get(),
                                                const_cast<void*>(data), call->stream.get()),
                 implementation_);
  };
  for (std::size_t i = 0; i < operands.size(); ++i) point(i, operands[i]);
  if (scratch_bytes_ > 0) point(operands.size(), scratch);
  check_status(
      dnnl_primitive_execute(parts_->primitive.get(), call->stream.get(),
                             static_cast<int>(call->arguments.size()), call->arguments.data()),
      implementation_);
  for (std::atomic<Call*>& idle : idle_) {
    Call* expected = nullptr;
    if (idle.compare_exchange_strong(expected, call.get(), std::memory_order_release)) {
      static_cast<void>(call.release());
      return;
    }
  }
}

}  // namespace ortool::onednn
