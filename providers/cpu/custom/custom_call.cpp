// Calls of custom operators: the functions of ortool_operator_api, and errors of a library.
#include "providers/cpu/custom/custom_call.hpp"

#include <algorithm>
#include <cstring>

#include "libcore/base/format.hpp"
#include "libcore/graph/formula.hpp"
#include "libcore/tensor/data_type.hpp"
#include "providers/cpu/custom/dimension_text.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int32_t max_rank = 64;

CustomCall& own(const ortool_call* call) {
  // The library gets it as const where it may not change the public members.
  return *const_cast<CustomCall*>(static_cast<const CustomCall*>(call));
}

/// What `body` throws must not pass the library's frames.
template <typename Body>
int safely(const ortool_call* call, Body body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    return own(call).fail(error.what());
  } catch (...) {
    return own(call).fail("an exception");
  }
}

template <typename T>
const T* attribute_of(const ortool_call* call, const char* name) {
  const Attribute* attribute = own(call).node().find_attribute(name);
  return attribute != nullptr ? std::get_if<T>(&attribute->value) : nullptr;
}

template <typename T>
int list_of(const ortool_call* call, const char* name, const T** values, std::size_t* count) {
  const auto* list = attribute_of<std::vector<T>>(call, name);
  if (list == nullptr) return 0;
  *values = list->data();
  *count = list->size();
  return 1;
}

template <typename T>
int number_of(const ortool_call* call, const char* name, T* value) {
  const T* found = attribute_of<T>(call, name);
  if (found != nullptr) *value = *found;
  return found != nullptr ? 1 : 0;
}

constexpr ortool_operator_api functions = {
    .attribute_int = number_of<std::int64_t>,
    .attribute_float = number_of<float>,
    .attribute_string =
        [](const ortool_call* call, const char* name, const char** value) {
          const auto* text = attribute_of<std::string>(call, name);
          if (text != nullptr) *value = text->c_str();
          return text != nullptr ? 1 : 0;
        },
    .attribute_ints = list_of<std::int64_t>,
    .attribute_floats = list_of<float>,
    .input_value = [](const ortool_call* call,
                      std::size_t input) { return own(call).input_value(input); },
    .set_output =
        [](const ortool_call* call, std::size_t output, std::int32_t type, std::int32_t rank,
           const std::int64_t* shape, const char* const* symbols, void** data) {
          return safely(
              call, [&] { return own(call).set_output(output, type, rank, shape, symbols, data); });
        },
    .input_string =
        [](const ortool_call* call, std::size_t input, std::int64_t index, std::size_t* length) {
          return own(call).input_string(input, index, length);
        },
    .set_string =
        [](const ortool_call* call, std::size_t output, std::int64_t index, const char* text,
           std::size_t length) {
          return safely(call, [&] { return own(call).set_string(output, index, text, length); });
        },
    .parallel =
        [](const ortool_call* call, std::int64_t tasks,
           void (*body)(void* context, std::int64_t task), void* context) {
          return safely(call, [&] { return own(call).run_parallel(tasks, body, context); });
        },
    .fail =
        [](const ortool_call* call, const char* message) {
          return safely(call, [&] { return own(call).fail(message); });
        },
    .attribute =
        [](const ortool_call* call, std::size_t index, ortool_attribute* found) {
          int is_found = 0;
          safely(call, [&] { return is_found = own(call).find_attribute(index, *found) ? 1 : 0; });
          return is_found;
        }};

}  // namespace

CustomCall::CustomCall(const Node& node, const CustomVersion& version)
    : ortool_call{},
      node_(node),
      version_(version),
      input_facts_(static_cast<std::size_t>(node.input_count())),
      output_facts_(static_cast<std::size_t>(node.output_count())) {
  api = &functions;
  context = version.op().context;
}

void CustomCall::point_to_operands() {
  input_pointers_.clear();
  output_pointers_.clear();
  const auto finish = [](Facts& facts) {
    facts.operand.shape = facts.shape.data();
    facts.symbol_texts.clear();
    for (const std::string& symbol : facts.symbols) facts.symbol_texts.push_back(symbol.c_str());
    facts.operand.symbols = facts.symbol_texts.empty() ? nullptr : facts.symbol_texts.data();
    return &facts.operand;
  };
  for (Facts& facts : input_facts_) input_pointers_.push_back(finish(facts));
  for (Facts& facts : output_facts_) output_pointers_.push_back(finish(facts));
  inputs = input_pointers_.data();
  input_count = input_pointers_.size();
  outputs = output_pointers_.data();
  output_count = output_pointers_.size();
}

void CustomCall::fill(Facts& facts, DataType type, std::span<const std::int64_t> shape) {
  facts.shape.assign(shape.begin(), shape.end());
  facts.operand.type = static_cast<std::int32_t>(type);
  facts.operand.rank = static_cast<std::int32_t>(shape.size());
  facts.operand.count = 1;
  for (const std::int64_t size : shape) facts.operand.count *= size;
}

void CustomCall::take(InferContext& given) {
  infer_ = &given;
  for (std::size_t i = 0; i < input_facts_.size(); ++i) {
    Facts& facts = input_facts_[i];
    const auto index = static_cast<std::int64_t>(i);
    if (!given.has_input(index)) continue;
    facts.operand.type = static_cast<std::int32_t>(given.element(index));
    facts.operand.rank = -1;
    facts.operand.count = -1;
    const PartialShape shape = given.shape(index);
    if (!shape) continue;
    facts.dimensions = *shape;
    facts.operand.rank = static_cast<std::int32_t>(shape->size());
    facts.operand.count = product(*shape).number();
    for (const Dimension& dimension : *shape) {
      facts.shape.push_back(dimension.number());
      facts.symbols.push_back(dimension.is_known() ? "" : dimension.to_string());
    }
  }
  for (std::size_t i = 0; i < output_facts_.size(); ++i) {
    const bool is_given = given.has_output(static_cast<std::int64_t>(i));
    output_facts_[i].operand = {.type = is_given ? -1 : 0, .rank = -1, .count = -1};
  }
  point_to_operands();
}

void CustomCall::take(std::span<const Operand> given_inputs,
                      std::span<const Operand> given_outputs) {
  const auto fill_all = [](std::vector<Facts>& facts, std::span<const Operand> operands) {
    for (std::size_t i = 0; i < facts.size() && i < operands.size(); ++i) {
      if (operands[i].is_given()) fill(facts[i], operands[i].type, operands[i].shape.dimensions());
    }
  };
  fill_all(input_facts_, given_inputs);
  fill_all(output_facts_, given_outputs);
  point_to_operands();
}

void CustomCall::take(DynamicContext& given) {
  dynamic_ = &given;
  workers_ = &given.workers();
  for (std::size_t i = 0; i < input_facts_.size(); ++i) {
    if (!given.has_input(i) || given.value(i).is_none()) continue;
    const Tensor& tensor = given.input(i);
    fill(input_facts_[i], tensor.type(), tensor.shape().dimensions());
    if (tensor.type() != DataType::string)
      input_facts_[i].operand.data = const_cast<std::byte*>(tensor.bytes());
  }
  for (std::size_t i = 0; i < output_facts_.size(); ++i) {
    const bool is_given = given.has_output(i);
    output_facts_[i].operand = {.type = is_given ? -1 : 0, .rank = -1, .count = -1};
  }
  made_.resize(output_facts_.size());
  point_to_operands();
}

void CustomCall::point_input(std::size_t index, const void* data) {
  input_facts_[index].operand.data = const_cast<void*>(data);
}

void CustomCall::point_output(std::size_t index, void* data) {
  output_facts_[index].operand.data = data;
}

void CustomCall::invoke(int (*function)(ortool_call* call), std::string_view what) {
  const auto refuse = [&](std::string text) {
    throw Error(ErrorCode::invalid, format("{} (custom operator of {})", text, version_.origin()),
                "the library rejects the node or its operands, or is wrong itself")
        .with_id("custom_op.failed");
  };
  int status = 0;
  try {
    status = function(this);
  } catch (const std::exception& error) {
    refuse(format("{}() threw an exception: {}", what, error.what()));
  } catch (...) {
    refuse(format("{}() threw an exception", what));
  }
  if (!message_.empty()) refuse(message_);
  if (status != 0) refuse(format("{}() returned {} without a message", what, status));
}

void CustomCall::check_outputs_set() const {
  for (std::size_t i = 0; i < output_facts_.size(); ++i) {
    if (output_facts_[i].operand.type == 0 || output_facts_[i].is_set) continue;
    throw Error(ErrorCode::invalid,
                format("output {} was not set (custom operator of {})", i, version_.origin()),
                "infer() sets type and shape of each output that is not left out, and so does "
                "run() of has_dynamic_shapes and of strings")
        .with_id("custom_op.output");
  }
}

int CustomCall::fail(std::string message) {
  if (message_.empty()) message_ = message.empty() ? "failed without a message" : message;
  return -1;
}

bool CustomCall::find_attribute(std::size_t index, ortool_attribute& found) {
  const std::span<const Attribute> all = node_.attributes();
  if (index >= all.size()) return false;
  const Attribute& attribute = all[index];
  found = {};
  found.name = attribute.name.c_str();
  found.kind = static_cast<std::int32_t>(attribute.kind());
  const auto set = [&found](const void* data, std::size_t count) {
    found.data = data;
    found.count = count;
  };
  const auto set_texts = [&](std::span<const std::string> texts) {
    std::vector<const char*>& pointers = attribute_texts_.emplace_back();
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    set(pointers.data(), pointers.size());
  };
  if (const auto* number = std::get_if<float>(&attribute.value)) set(number, 1);
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) set(number, 1);
  if (const auto* text = std::get_if<std::string>(&attribute.value))
    set(text->c_str(), text->size());
  if (const auto* list = std::get_if<std::vector<float>>(&attribute.value))
    set(list->data(), list->size());
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute.value))
    set(list->data(), list->size());
  if (const auto* list = std::get_if<std::vector<std::string>>(&attribute.value)) set_texts(*list);
  const auto* tensor = std::get_if<Tensor>(&attribute.value);
  if (tensor == nullptr) return true;
  found.type = static_cast<std::int32_t>(tensor->type());
  found.rank = static_cast<std::int32_t>(tensor->shape().rank());
  found.shape = tensor->shape().begin();
  set(tensor->bytes(), static_cast<std::size_t>(tensor->element_count()));
  if (tensor->type() == DataType::string) set_texts(tensor->strings());
  return true;
}

const void* CustomCall::input_value(std::size_t input) {
  if (infer_ == nullptr || input >= input_facts_.size()) return nullptr;
  const Tensor* value = infer_->input_value(static_cast<std::int64_t>(input));
  return value != nullptr && value->type() != DataType::string ? value->bytes() : nullptr;
}

Dimension CustomCall::dimension_of(const char* text) const {
  SymbolMap symbols;
  for (const Facts& facts : input_facts_) {
    for (std::size_t axis = 0; axis < facts.dimensions.size(); ++axis) {
      if (facts.dimensions[axis].is_formula())
        symbols.insert_or_assign(facts.symbols[axis], facts.dimensions[axis]);
    }
  }
  return parse_dimension(text, symbols);
}

int CustomCall::set_inferred(std::size_t output, DataType type, std::int32_t rank,
                             const std::int64_t* shape, const char* const* symbols) {
  PartialShape dimensions;
  if (rank >= 0) dimensions.emplace();
  for (std::int32_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] >= 0) {
      dimensions->emplace_back(shape[axis]);
      continue;
    }
    const char* text = symbols != nullptr ? symbols[axis] : nullptr;
    Dimension dimension = text != nullptr ? dimension_of(text) : Dimension();
    dimensions->push_back(dimension.is_unknown() ? infer_->unknown_dimension() : dimension);
  }
  infer_->set_output(static_cast<std::int64_t>(output), type, std::move(dimensions));
  return 0;
}

int CustomCall::make_output(std::size_t output, DataType type, Shape shape, void** data) {
  const ValueType& inferred = node_.output(static_cast<std::int64_t>(output))->type();
  bool fits = !inferred.is_tensor() || inferred.element == type;
  if (inferred.is_tensor() && inferred.shape) {
    const Dimensions& dimensions = *inferred.shape;
    fits = fits && static_cast<std::int64_t>(dimensions.size()) == shape.rank();
    for (std::size_t axis = 0; fits && axis < dimensions.size(); ++axis) {
      fits = !dimensions[axis].is_known() ||
             dimensions[axis].number() == shape[static_cast<std::int64_t>(axis)];
    }
  }
  if (!fits) {
    return fail(format("output {} is made as {}[{}], but infer() said {}", output, name_of(type),
                       shape.to_string(), inferred.to_string()));
  }
  made_[output] = dynamic_->make(type, std::move(shape));
  if (type != DataType::string && data != nullptr) *data = made_[output].mutable_bytes();
  return 0;
}

int CustomCall::set_output(std::size_t output, std::int32_t type, std::int32_t rank,
                           const std::int64_t* shape, const char* const* symbols, void** data) {
  if (data != nullptr) *data = nullptr;
  if (infer_ == nullptr && dynamic_ == nullptr)
    return fail("set_output() is for infer(), and for run() of has_dynamic_shapes and of strings");
  if (output >= output_facts_.size())
    return fail(format("output {} is set, but the node has {}", output, output_facts_.size()));
  if (!is_known(type) || type == 0) return fail(format("output {} has type {}", output, type));
  if (rank > max_rank || rank < (infer_ != nullptr ? -1 : 0) || (rank > 0 && shape == nullptr))
    return fail(format("output {} has rank {}", output, rank));
  Facts& facts = output_facts_[output];
  if (facts.operand.type == 0) return 0;
  facts.is_set = true;
  const auto element = static_cast<DataType>(type);
  if (infer_ != nullptr) return set_inferred(output, element, rank, shape, symbols);
  for (std::int32_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 0)
      return fail(format("axis {} of output {} has size {}", axis, output, shape[axis]));
  }
  return make_output(output, element, Shape(std::vector<std::int64_t>(shape, shape + rank)), data);
}

const char* CustomCall::input_string(std::size_t input, std::int64_t index, std::size_t* length) {
  if (length != nullptr) *length = 0;
  if (dynamic_ == nullptr || input >= input_facts_.size() ||
      input_facts_[input].operand.type != static_cast<std::int32_t>(DataType::string))
    return nullptr;
  const auto strings = dynamic_->input(input).strings();
  if (index < 0 || static_cast<std::size_t>(index) >= strings.size()) return nullptr;
  const std::string& text = strings[static_cast<std::size_t>(index)];
  if (length != nullptr) *length = text.size();
  return text.c_str();
}

int CustomCall::set_string(std::size_t output, std::int64_t index, const char* text,
                           std::size_t length) {
  const bool is_made = output < made_.size() && made_[output].type() == DataType::string;
  if (!is_made || index < 0 || index >= made_[output].element_count())
    return fail(format("string {} of output {} is set, which has none", index, output));
  made_[output].mutable_strings()[static_cast<std::size_t>(index)].assign(text, length);
  return 0;
}

int CustomCall::run_parallel(std::int64_t tasks, void (*body)(void* context, std::int64_t task),
                             void* body_context) {
  if (workers_ == nullptr) return fail("parallel() is for run()");
  workers_->parallel_for(tasks, [&](std::int64_t task) { body(body_context, task); });
  return 0;
}

void CustomCall::hand_over_outputs() {
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (!made_[i].is_empty()) dynamic_->set_output(i, std::move(made_[i]));
  }
}

}  // namespace ortool::cpu
