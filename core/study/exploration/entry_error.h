#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/study/result.h"

/// Errors of an exploration that are found once it is read: where its file has what is wrong, they name the line.
namespace tessera::study {

/// What of an exploration's parameters is wrong.
struct EntryPlace {
    std::string parameter;    ///< "variables"
    HeldJson like = {};       ///< members that tell an entry of that list from the others; null = the whole parameter
    std::string member = {};  ///< of the entry, "low"; empty = the whole entry
};

/// An error of a part of an exploration.
template <typename Error>
class EntryError : public Error {
public:
    EntryError(const Error& error, EntryPlace itsPlace) : Error(error), at(std::move(itsPlace)) {}
    EntryPlace at;
};

/// The entry of the list of variables that has the name.
EntryPlace variablePlace(const std::string& name, const std::string& member = {});

/// Throws the error that is being caught: one of a part of the exploration as a DataError with the line of the file
/// that it was loaded from, where that still says what the exploration does; else as it is.
[[noreturn]] void rethrowWithLine(const Study& exploration);

/// Runs work on an exploration; see rethrowWithLine.
template <typename Work>
auto withLines(const Study& exploration, const Work& work) {
    try {
        return work();
    } catch (const EntryError<UsageError>&) {
        rethrowWithLine(exploration);
    } catch (const EntryError<DataError>&) {
        rethrowWithLine(exploration);
    }
}

/// Runs work on a part of an exploration: what it throws is an error of that part, unless it is known of which.
template <typename Work>
auto atEntry(const EntryPlace& at, const Work& work) {
    try {
        return work();
    } catch (const EntryError<UsageError>&) {
        throw;
    } catch (const EntryError<DataError>&) {
        throw;
    } catch (const UsageError& error) {
        throw EntryError<UsageError>(error, at);
    } catch (const DataError& error) {
        throw EntryError<DataError>(error, at);
    }
}

}  // namespace tessera::study
