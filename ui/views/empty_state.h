#pragma once

#include <QWidget>
#include <functional>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tessera::ui {

/// Content of an empty view: one grey sentence that says what to do, below a quiet icon, and perhaps a button that does
/// it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    explicit EmptyState(const QString& icon, const QString& sentence, QWidget* parent = nullptr);
    void setSentence(const QString& sentence);
    /// Adds a button; the first is the main one.
    QPushButton* addAction(const QString& title, const QString& icon, const std::function<void()>& run);

private:
    QVBoxLayout* column_;
    QLabel* sentence_;
    int buttons_ = 0;
};

}  // namespace tessera::ui
