// Value memory: the one of a thread's runs.
#include "libcore/runtime/feedback/value_memory.hpp"

namespace ortool {
namespace {

thread_local ValueMemory* current_memory = nullptr;

}  // namespace

ValueMemory::Scope::Scope(ValueMemory& memory) : outer_(current_memory) {
  current_memory = &memory;
}

ValueMemory::Scope::~Scope() {
  current_memory = outer_;
}

ValueMemory* ValueMemory::current() {
  return current_memory;
}

}  // namespace ortool
