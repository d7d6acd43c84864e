#pragma once

#include <QDialog>
#include <filesystem>

class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace tessera::ui {

/// Asks for the name under which a document is saved in the user's folder; says what is wrong with it, and when a file
/// would be replaced.
class NameDialog : public QDialog {
    Q_OBJECT

public:
    NameDialog(const QString& title, const QString& proposal, std::filesystem::path folder, QWidget* parent = nullptr);
    QString name() const;

private:
    void judge();
    std::filesystem::path folder_;
    QLineEdit* name_;
    QLabel* reason_;
    QDialogButtonBox* buttons_;
};

}  // namespace tessera::ui
