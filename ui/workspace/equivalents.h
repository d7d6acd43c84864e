#pragma once

#include <QString>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

class QDialog;
class QWidget;

namespace tessera::ui {

/// An action of the window and the command that does the same, or why one of them has no other.
struct Equivalent {
    std::string_view place;    ///< "window", or the kind of document that has the action; empty = no action
    std::string action;        ///< its id, else its text, where "*" stands for any words; empty = there is none
    std::string_view command;  ///< "history compare"; empty = there is none
    std::string_view remark;   ///< what it is told besides; where one side is empty, the reason
};

/// The whole window beside the whole command line.
const std::vector<Equivalent>& equivalents();

/// Whether a row is of an action of a place.
bool isOf(const Equivalent& row, std::string_view place, const QString& id, const QString& text);

/// A dialog that shows them, to search and to copy; `titleOf` returns the text of an action of the window by its id. It
/// deletes itself when it is closed.
QDialog* newEquivalentsDialog(QWidget* parent, const std::function<QString(const QString& id)>& titleOf);

}  // namespace tessera::ui
