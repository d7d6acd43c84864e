#pragma once

#include <QFrame>
#include <functional>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace tessera::ui {

/// One sentence above a view that is about the whole of it: "This run used another batch size." Hidden until shown.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    enum class Kind { info, good, warning, bad };

    explicit MessageBar(QWidget* parent = nullptr);
    /// Shows a sentence; of `actionTitle`, a link at its end, the click calls `run`.
    void showMessage(Kind kind, const QString& sentence, const QString& actionTitle = {},
                     const std::function<void()>& run = {});
    QString message() const;

signals:
    void closed();

private:
    QToolButton* icon_;
    QLabel* text_;
    QHBoxLayout* line_;
    QWidget* action_ = nullptr;
};

}  // namespace tessera::ui
