// CommandList: commands and the lifetimes of buffers.
#include "providers/cuda/plan/command_list.hpp"

namespace ortool::cuda {

EncodedPointer CommandList::add_buffer(std::int64_t bytes, bool is_kept) {
  buffers_.push_back({.bytes = bytes, .is_kept = is_kept});
  return {buffers_.size() - 1, 0};
}

EncodedPointer CommandList::add_fixed(void* memory, std::int64_t bytes) {
  buffers_.push_back({.bytes = bytes, .fixed = memory});
  return {buffers_.size() - 1, 0};
}

std::vector<const Node*> CommandList::group(const Node& head) const {
  const auto found = groups_.find(&head);
  return found != groups_.end() ? found->second : std::vector<const Node*>{&head};
}

void CommandList::note(Command& command, std::size_t place) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, command.params.data() + place, sizeof(bits));
  const EncodedPointer pointer = EncodedPointer::from_bits(bits);
  if (pointer.is_null()) return;
  command.fixups.push_back(place);
  PlanBuffer& buffer = buffers_.at(pointer.buffer());
  const auto number = static_cast<std::int32_t>(commands_.size()) - 1;
  if (buffer.first < 0) buffer.first = number;
  buffer.last = number;
}

void CommandList::multiply(PrimitivePtr product, const ProductPointers& pointers) {
  ProductPointers own = pointers;
  if (product->workspace_bytes() > 0)
    own.workspace = add_buffer(product->workspace_bytes()).as_pointer();
  Command& command = add(Command::Kind::product, own,
                         {&own.a, &own.b, &own.bias, &own.addend, &own.out, &own.workspace,
                          &own.a_scale, &own.b_scale});
  command.primitive = std::move(product);
}

void CommandList::convolve(PrimitivePtr conv, const ConvPointers& pointers) {
  ConvPointers own = pointers;
  if (conv->workspace_bytes() > 0) own.workspace = add_buffer(conv->workspace_bytes()).as_pointer();
  Command& command =
      add(Command::Kind::conv, own,
          {&own.input, &own.weights, &own.bias, &own.addend, &own.out, &own.workspace});
  command.primitive = std::move(conv);
}

void CommandList::copy(EncodedPointer to, EncodedPointer from, std::int64_t bytes) {
  const CopyPointers pointers = {to.as_pointer(), from.as_pointer(), bytes};
  add(Command::Kind::copy, pointers, {&pointers.to, &pointers.from});
}

void CommandList::clear(EncodedPointer to, std::int64_t bytes) {
  const CopyPointers pointers = {to.as_pointer(), nullptr, bytes};
  add(Command::Kind::clear, pointers, {&pointers.to});
}

}  // namespace ortool::cuda
