#pragma once

#include <QFrame>
#include <QVector>
#include <functional>

class QHBoxLayout;
class QLabel;

namespace tessera::ui {

/// A sentence with choices across the top of the documents: what a dialog would be if it did not stand in the way.
class NoticeBar : public QFrame {
    Q_OBJECT

public:
    enum class Tone { information, warning };
    struct Choice {
        QString title;
        std::function<void()> run;
    };

    NoticeBar(Tone tone, const QString& sentence, const QVector<Choice>& choices, QWidget* parent = nullptr);
    QString sentence() const;
    QStringList choices() const;
    /// Chooses as a click on the button does; closes the bar.
    void choose(int choice);

signals:
    void closed();

private:
    void dismiss();
    QLabel* icon_;
    QLabel* text_;
    QVector<Choice> choices_;
    bool closed_ = false;
};

}  // namespace tessera::ui
