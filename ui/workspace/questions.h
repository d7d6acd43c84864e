#pragma once

#include <QString>
#include <QStringList>
#include <functional>

class QWidget;

namespace tessera::ui {

/// A question with its answers. The window stays alive while it is open: nothing waits inside a call.
struct Question {
    QString title;
    QString sentence;
    QStringList answers;  ///< the first is what Enter means
    int escape = -1;      ///< the answer that Escape means
};

/// Questions of the window; replaced in tests, which cannot answer.
struct Asker {
    using Answered = std::function<void(int answer)>;
    using Chosen = std::function<void(const QString& path)>;
    std::function<void(QWidget& owner, const Question& question, Answered answered)> ask;
    /// `chosen` is called only when a file was chosen.
    std::function<void(QWidget& owner, const QString& title, const QString& filter, Chosen chosen)> openFile;
    std::function<void(QWidget& owner, const QString& title, const QString& suggestion, const QString& filter,
                       Chosen chosen)>
        saveFile;
    /// A short text; `answered` is called only when it was accepted.
    std::function<void(QWidget& owner, const QString& title, const QString& label, const QString& value,
                       Chosen answered)>
        askText;
};

/// The asker that everything in the workspace uses; dialogs unless replaced.
Asker& asker();
/// Dialogs that do not block.
Asker dialogAsker();

}  // namespace tessera::ui
