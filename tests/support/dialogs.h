#pragma once

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QTimer>
#include <functional>

namespace tessera::test {

/// Answers modal dialogs while it lives, as a person would: `answer` gets each one that stands in front.
class DialogAnswerer {
public:
    explicit DialogAnswerer(std::function<void(QWidget& dialog)> answer) {
        timer_.setInterval(10);
        QObject::connect(&timer_, &QTimer::timeout, &timer_, [answer = std::move(answer)] {
            // Not from within the timer's own event: an answer may open a dialog that waits for the next one.
            if (QWidget* front = QApplication::activeModalWidget())
                QTimer::singleShot(0, front, [answer, front] { answer(*front); });
        });
        timer_.start();
    }

private:
    QTimer timer_;
};

/// Types a path into a dialog for files and accepts it.
inline void chooseFile(QFileDialog& dialog, const QString& path) {
    dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
    QMetaObject::invokeMethod(&dialog, "accept");
}

}  // namespace tessera::test
