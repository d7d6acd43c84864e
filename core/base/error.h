#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tessera {

/// Position in an input. Unknown parts stay empty (or 0) and are left out of the message.
struct Place {
    std::string file = {};
    std::int64_t line = 0;    ///< 1-based; 0 = unknown
    std::int64_t column = 0;  ///< 1-based; 0 = unknown
    std::string where = {};   ///< a place that is not a line, such as "node 'conv1', attribute 'strides'"
    std::string field = {};   ///< a field of a structured file, such as "groups[1].count"
};

/// Wrong input, thrown at the edge where it is read. The message is one sentence:
/// `FILE:LINE: field 'groups[1].count' is '-4'; expected a whole number above 0`, or, without a field,
/// `FILE: node 'conv1': found '0'; expected ...`. Programs end with exit code 3.
class DataError : public std::runtime_error {
public:
    /// `found` is a phrase that follows "is" or "found": a quoted literal or words. `expected` follows "expected".
    DataError(Place where, std::string found, std::string expected);
    /// Of a sentence that says itself what is wrong: `FILE:LINE: SENTENCE`. `found` is the sentence.
    DataError(Place where, std::string sentence);

    Place place;
    std::string found;
    std::string expected;
};

/// A request that the command line or a study cannot mean (unknown name, contradicting options). Exit code 2.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The problem has no feasible solution; the message says which constraint and what would relax it. Exit code 4.
class InfeasibleError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A file or the store cannot be read or written. Exit code 6.
class FileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The user stopped the work before it had a result. Exit code 5.
class InterruptedError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace tessera
