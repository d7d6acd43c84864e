#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/model/model.h"

/// Messages of all formats' readers about the dimensions that options bind.
namespace tessera::model {

/// Throws UsageError where the options bind a name that is not among the file's `names`, or a size below 1.
void checkDimensions(const LoadOptions& options, const std::string& file, const std::set<std::string>& names);

/// The warning on a named dimension of an input that nothing binds, without its capital letter and full stop.
std::string notBound(const std::string& input, std::size_t axis, const std::string& symbol);

}  // namespace tessera::model
