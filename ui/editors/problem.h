#pragma once

#include <QString>
#include <QVector>
#include <exception>
#include <string>

namespace tessera::ui {

/// Problem of a document and its place: a sentence that stands beside the field.
struct Problem {
    std::string field;  ///< as the readers write it, such as "groups[1].count"; empty = the whole document
    QString sentence;
    bool unknown = false;  ///< files of this kind have no such field: no control shows it
    bool operator==(const Problem&) const = default;
};

using Problems = QVector<Problem>;

/// The reason as a sentence, without the command that would help in a terminal.
QString reasonOf(const std::exception& error);
/// The sentence of the problem at `field`, or at the number inside of it; empty where there is none.
QString problemAt(const Problems& problems, const std::string& field);
/// Problems that controls found, then those that a reader found in other fields.
Problems joinedProblems(const Problems& ofControls, const Problems& ofReader);
/// The field of a number, without the ".value" of its long form.
std::string withoutValue(const std::string& field);

}  // namespace tessera::ui
