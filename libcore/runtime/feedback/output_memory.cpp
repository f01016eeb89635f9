// Output memory: the one of a thread's runs.
#include "libcore/runtime/feedback/output_memory.hpp"

namespace ortool {
namespace {

thread_local OutputMemory* current_memory = nullptr;

}  // namespace

OutputMemory::Scope::Scope(OutputMemory& memory) : outer_(current_memory) {
  current_memory = &memory;
}

OutputMemory::Scope::~Scope() {
  current_memory = outer_;
}

OutputMemory* OutputMemory::current() {
  return current_memory;
}

}  // namespace ortool
