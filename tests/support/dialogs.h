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
            if (QWidget* front = QApplication::activeModalWidget()) answer(*front);
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
