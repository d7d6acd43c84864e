#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/partition/partition.h"
#include "core/study/result.h"

/// A compact form of results whose networks have many layers: what is said once stays JSON, the rows of layers are
/// columns of numbers. A document of a hundred thousand layers has a gigabyte as text and a fifth of that like this.
namespace tessera::study {

/// The rows that a plan or a result has: one per layer or join and split.
std::size_t rowCount(const partition::Plan& plan);
std::size_t rowCount(const Result& result);

/// The plan without what grows with the number of layers.
partition::Plan withoutRows(const partition::Plan& plan);
/// Rows that `withoutRows` leaves out, as bytes (little-endian).
std::string packRows(const partition::Plan& plan);
/// Puts it back. Throws DataError, naming `file`, where the bytes are not what `packRows` made of a plan like this one
/// on a network of so many layers and joins.
void unpackRows(std::string_view bytes, partition::Plan& plan, std::size_t layers, const std::string& file);

/// The whole result.
std::string packResult(const Result& result);
/// Reads what `packResult` made, exactly: both have the same output document. Throws DataError like `readResult`.
Result unpackResult(std::string_view bytes, const Study& study, const std::string& file);

}  // namespace tessera::study
